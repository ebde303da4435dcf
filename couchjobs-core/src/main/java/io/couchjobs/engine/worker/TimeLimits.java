package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.worker.StopReason;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Stops runs that take too long. Thread-safe. */
final class TimeLimits implements AutoCloseable {
    private final Optional<Duration> limit;
    private final Map<Run, ScheduledFuture<?>> timers = new ConcurrentHashMap<>();
    private final ScheduledExecutorService thread;

    TimeLimits(Optional<Duration> limit, Environment environment) {
        this.limit = limit;
        this.thread = environment.threads("couchjobs-time-limits", 1);
    }

    void watch(Run run) {
        limit.ifPresent(longest -> timers.put(
                run, thread.schedule(() -> run.stop(StopReason.TOO_SLOW), longest.toNanos(), TimeUnit.NANOSECONDS)));
    }

    void forget(Run run) {
        ScheduledFuture<?> timer = timers.remove(run);
        if (timer != null) {
            timer.cancel(false);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
