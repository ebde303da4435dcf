package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import java.time.Duration;
import java.time.Instant;

/** The parts of a process on a queue, without a worker. Thread-safe. */
public final class SteppedParts implements AutoCloseable {
    private final JobStore store;
    private final QueueParts parts;

    public SteppedParts(JobQueue queue) {
        this.store = Stores.of(queue.database());
        this.parts = new QueueParts(
                store,
                new JobIndex(new DesignDocuments(queue.database())),
                new SettingsStore(queue.database(), Duration.ofSeconds(60)),
                Feeds.of(queue.database()),
                new ServerClock(Instant::now, () -> Duration.ZERO, System::nanoTime));
    }

    public QueueParts parts() {
        return parts;
    }

    @Override
    public void close() {
        store.close();
    }
}
