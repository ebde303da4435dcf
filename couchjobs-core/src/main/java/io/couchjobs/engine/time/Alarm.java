package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A task that is planned at most once at a time: the earliest request counts. Thread-safe. */
public final class Alarm {
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private final ScheduledExecutorService threads;
    private final Runnable task;
    private @Nullable ScheduledFuture<?> planned;

    /**
     * Plans nothing yet.
     *
     * @param threads run the task; after their shutdown nothing is planned any more
     * @param task throws nothing
     */
    public Alarm(ScheduledExecutorService threads, Runnable task) {
        this.threads = threads;
        this.task = task;
    }

    /** Rings after this pause, but not within 10 ms, unless an earlier time is planned. */
    public synchronized void within(Duration pause) {
        long nanos = Math.max(pause.toNanos(), SHORTEST.toNanos());
        if (planned != null && planned.getDelay(TimeUnit.NANOSECONDS) <= nanos) {
            return;
        }
        if (planned != null) {
            planned.cancel(false);
        }
        if (!threads.isShutdown()) {
            planned = threads.schedule(this::ring, nanos, TimeUnit.NANOSECONDS);
        }
    }

    private void ring() {
        synchronized (this) {
            planned = null;
        }
        task.run();
    }
}
