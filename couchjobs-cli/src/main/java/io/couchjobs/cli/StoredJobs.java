package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.JobView;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.job.UnreadableDataException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares copies of jobs with the jobs that the database has. */
final class StoredJobs {
    private final JobQueue queue;

    StoredJobs(JobQueue queue) {
        this.queue = queue;
    }

    /** {@return those whose stored job has another status, other data, another result or another time; one request for all} */
    List<JobId> unlike(List<Job> copies) {
        if (copies.isEmpty()) {
            return List.of();
        }
        Map<JobId, Job> stored = read(copies);
        return copies.stream()
                .filter(copy -> differs(copy, stored.get(copy.id())))
                .map(Job::id)
                .toList();
    }

    private Map<JobId, Job> read(List<Job> copies) {
        List<String> ids =
                copies.stream().map(copy -> copy.id().docId()).distinct().toList();
        Map<JobId, Job> stored = new HashMap<>();
        queue.database().getAll(ids).stream()
                .flatMap(Optional::stream)
                .flatMap(document -> parsed(document).stream())
                .forEach(job -> stored.put(job.id(), job));
        return stored;
    }

    /** A document that is no job differs from every job. */
    private static Optional<Job> parsed(ObjectNode document) {
        try {
            return Optional.of(Job.parse(document));
        } catch (MalformedDocumentException noJob) {
            return Optional.empty();
        }
    }

    private boolean differs(Job copy, @Nullable Job stored) {
        return stored == null
                || !hasStatus(stored, copy)
                || !stored.scheduledTime().equals(copy.scheduledTime())
                || !hasResult(stored, copy)
                || !hasData(stored, copy);
    }

    /** A copy of an owned job was put back as one that waits. */
    private static boolean hasStatus(Job stored, Job copy) {
        return stored.status() == copy.status() || (copy.status().isLocked() && stored.status() == JobStatus.WAITING);
    }

    private static boolean hasResult(Job stored, Job copy) {
        return JobView.isSame(
                stored.result().orElse(NullNode.instance), copy.result().orElse(NullNode.instance));
    }

    private boolean hasData(Job stored, Job copy) {
        try {
            return JobView.isSame(queue.withData(stored).data(), copy.data());
        } catch (UnreadableDataException lost) {
            return false;
        }
    }
}
