package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The jobs that held jobs wait for: as long as somebody has to ask how they ended, retention does not delete them. */
final class AwaitedJobs {
    /** One that waits for ten thousand others is a document of half a megabyte. */
    private static final int PAGE = 10;

    private final CouchDatabase database;
    private final JobIndex index;

    AwaitedJobs(CouchDatabase database, JobIndex index) {
        this.database = database;
        this.index = index;
    }

    Set<String> docIds() {
        List<String> held = index.heldAnywhere().stream().map(JobId::docId).toList();
        Set<String> awaited = new HashSet<>();
        for (int from = 0; from < held.size(); from += PAGE) {
            database.getAll(held.subList(from, Math.min(from + PAGE, held.size()))).stream()
                    .flatMap(Optional::stream)
                    .flatMap(AwaitedJobs::awaitedBy)
                    .forEach(job -> awaited.add(job.docId()));
        }
        return awaited;
    }

    private static Stream<JobId> awaitedBy(ObjectNode document) {
        try {
            return Job.parse(document).after().stream().flatMap(after -> after.jobs().stream());
        } catch (MalformedDocumentException overwrittenMeanwhile) {
            return Stream.empty();
        }
    }
}
