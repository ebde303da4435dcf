package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.worker.JobContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Stops runs that take too long. Thread-safe. */
final class TimeLimits implements AutoCloseable {
    private final Optional<Duration> limit;
    private final Map<Run, Lane.Planned> timers = new ConcurrentHashMap<>();
    private final Lane lane;

    TimeLimits(Optional<Duration> limit, Environment environment) {
        this.limit = limit;
        this.lane = environment.lane("couchjobs-time-limits", 1);
    }

    void watch(Run run) {
        limit.ifPresent(
                longest -> timers.put(run, lane.schedule(longest, () -> run.stop(JobContext.StopReason.TOO_SLOW))));
    }

    void forget(Run run) {
        Lane.Planned timer = timers.remove(run);
        if (timer != null) {
            timer.cancel();
        }
    }

    @Override
    public void close() {
        lane.close();
    }
}
