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

/** The jobs that held jobs wait for: as long as somebody has to ask how they ended, retention does not delete them. */
final class AwaitedJobs {
    /** One that waits for ten thousand others is a document of half a megabyte. */
    private static final int PAGE = 10;

    private final CouchDatabase database;
    private final HeldIndex index;
    /** The held jobs that were read already: most are held for long. */
    private final Set<String> read = new HashSet<>();

    private final Set<String> awaited = new HashSet<>();

    AwaitedJobs(CouchDatabase database, JobIndex index) {
        this.database = database;
        this.index = new HeldIndex(index);
    }

    /** The ids of the jobs that held jobs wait for, also those held at an earlier call. Each collection needs a new object. */
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
