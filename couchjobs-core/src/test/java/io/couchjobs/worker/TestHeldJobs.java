package io.couchjobs.worker;

import io.couchjobs.JobQueue;
import io.couchjobs.TestQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.store.DesignDocuments;
import io.couchjobs.store.Feed;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.JobStore;
import io.couchjobs.store.QueueParts;
import io.couchjobs.store.SettingsStore;
import java.time.Duration;
import java.time.InstantSource;

/** What lets held jobs go, without the worker around it. */
final class TestHeldJobs {
    private static final Duration NEVER = Duration.ofHours(1);

    private TestHeldJobs() {}

    static HeldJobs of(JobQueue queue) {
        return of(queue, NEVER, NEVER);
    }

    static HeldJobs of(JobQueue queue, Duration findNew, Duration findOld) {
        return new HeldJobs(parts(queue), findNew, findOld);
    }

    private static QueueParts parts(JobQueue queue) {
        CouchDatabase database = queue.database();
        return new QueueParts(
                new JobStore(database),
                new JobIndex(new DesignDocuments(database)),
                new SettingsStore(database, Duration.ofSeconds(60)),
                new Feed(database),
                TestQueue.clock(InstantSource.system(), database.server()));
    }
}
