package io.couchjobs.engine.schedule;

import io.couchjobs.JobQueue;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.schedule.Schedules;
import io.couchjobs.testing.Stores;
import java.time.Duration;
import java.time.InstantSource;

/** The schedules of a queue, and what makes their jobs, on a clock that a test sets. Thread-safe. */
public final class SteppedSchedules implements AutoCloseable {
    private final JobQueue queue;
    private final JobStore store;
    private final ServerClock clock;

    public SteppedSchedules(JobQueue queue, InstantSource now) {
        this.queue = queue;
        this.store = Stores.of(queue.database());
        this.clock = new ServerClock(now, () -> Duration.ZERO, System::nanoTime);
    }

    public Schedules schedules() {
        return new QueueSchedules(parts(), request -> {});
    }

    QueueParts parts() {
        return new QueueParts(
                store,
                new JobIndex(new DesignDocuments(queue.database())),
                new SettingsStore(queue.database(), Duration.ofSeconds(60)),
                Feeds.of(queue.database()),
                clock);
    }

    TickMaker maker() {
        return maker(clock);
    }

    TickMaker maker(InstantSource otherClock) {
        return new TickMaker(store, otherClock);
    }

    @Override
    public void close() {
        store.close();
    }
}
