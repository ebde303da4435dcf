package io.couchjobs.engine.worker;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.time.Duration;
import java.time.InstantSource;

/** What lets held jobs go, without the worker around it. */
final class TestDependencies {
    private static final Duration NEVER = Duration.ofHours(1);

    private TestDependencies() {}

    static Dependencies of(JobQueue queue) {
        return of(queue, NEVER, NEVER);
    }

    static Dependencies of(JobQueue queue, Duration findNew, Duration findOld) {
        return new Dependencies(parts(queue), findNew, findOld);
    }

    private static QueueParts parts(JobQueue queue) {
        CouchDatabase database = queue.database();
        return new QueueParts(
                Stores.of(database),
                new JobIndex(new DesignDocuments(database)),
                new SettingsStore(database, Duration.ofSeconds(60)),
                Feeds.of(database),
                TestQueue.clock(InstantSource.system(), database.server()));
    }
}
