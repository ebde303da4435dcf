package io.couchjobs.engine.gc;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.index.HeldIndex;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.job.JobId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The jobs that held jobs wait for. Retention does not delete such a job while a held job may still ask how it ended. */
final class AwaitedJobs {
    /** The document of a job that waits for ten thousand others has half a megabyte. */
    private static final int PAGE = 10;

    private final CouchDatabase database;
    private final HeldIndex index;
    /** The held jobs that were read already: most jobs are held for long. */
    private final Set<String> read = new HashSet<>();

    private final Set<String> awaited = new HashSet<>();

    AwaitedJobs(CouchDatabase database, JobIndex index) {
        this.database = database;
        this.index = new HeldIndex(index);
    }

    /**
     * {@return the ids of the jobs that held jobs wait for, including those of earlier calls} Each collection needs a new
     * instance.
     */
    Set<String> docIds() {
        List<String> held = index.anywhere().map(JobId::docId).filter(read::add).toList();
        for (int from = 0; from < held.size(); from += PAGE) {
            database.getAll(held.subList(from, Math.min(from + PAGE, held.size()))).stream()
                    .flatMap(Optional::stream)
                    .flatMap(document -> JobDocument.job(document).stream())
                    .flatMap(job -> job.after().stream())
                    .flatMap(after -> after.jobs().stream())
                    .forEach(job -> awaited.add(job.docId()));
        }
        return Set.copyOf(awaited);
    }
}
