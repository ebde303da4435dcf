package io.couchjobs.engine.worker;

import io.couchjobs.JobQueue;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.testing.Stores;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** An activity monitor that looks when it is told to, on a clock that is moved by hand. Not thread-safe. */
public final class SteppedMonitor implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final AtomicLong nanos = new AtomicLong();
    private final JobStore store;
    private final ActivityMonitor monitor;

    public SteppedMonitor(JobQueue queue) {
        store = Stores.of(queue.database());
        ServerClock clock = new ServerClock(InstantSource.system(), () -> Duration.ZERO, nanos::get);
        monitor = new ActivityMonitor(
                new QueueParts(
                        store,
                        new JobIndex(new DesignDocuments(queue.database())),
                        new SettingsStore(queue.database(), TIMEOUT),
                        Feeds.of(queue.database()),
                        clock),
                "monitor",
                id -> false);
    }

    /** Looks once: remembers what is owned, and sets free what has been silent for longer than the timeout. */
    public void look() {
        Duration unused = monitor.look();
    }

    /** {@return the pause that is made after one more look} */
    public Duration pauseAfterLook() {
        return monitor.look();
    }

    /** Lets more time pass than an owner may be silent. */
    public void outlastTheTimeout() {
        nanos.addAndGet(TIMEOUT.multipliedBy(2).toNanos());
    }

    public long recovered() {
        return monitor.recovered();
    }

    @Override
    public void close() {
        monitor.close();
        store.close();
    }
}
