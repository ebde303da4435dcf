package io.couchjobs.dashboard.view;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads documents as jobs, and leaves out those that cannot be jobs. */
public final class JobDocuments {
    private JobDocuments() {}

    /**
     * Reads jobs by one request.
     *
     * @param queue the queue
     * @param ids the jobs
     * @return the jobs that exist, without their attached data; ids without a document, or whose document cannot be a job, are
     * left out
     */
    public static Map<JobId, Job> read(JobQueue queue, Stream<JobId> ids) {
        List<String> docIds = ids.map(JobId::docId).distinct().toList();
        if (docIds.isEmpty()) {
            return Map.of();
        }
        return queue.database().getAll(docIds).stream()
                .flatMap(Optional::stream)
                .flatMap(document -> parsed(document).stream())
                .collect(Collectors.toMap(Job::id, Function.identity()));
    }

    /**
     * {@return the job; empty when the document cannot be one}
     *
     * @param document a document that has the id of a job
     */
    public static Optional<Job> parsed(ObjectNode document) {
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedDocumentException noJob) {
            return Optional.empty();
        }
    }
}
