package io.couchjobs.engine.worker;

import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Optional;

/** Stops calls of handlers that take too long. Thread-safe. */
final class TimeLimits implements AutoCloseable {
    private final Optional<Duration> limit;
    private final Lane lane;

    TimeLimits(Optional<Duration> limit, Environment environment) {
        this.limit = limit;
        this.lane = environment.lane("couchjobs-time-limits", 1);
    }

    /** As {@link #watch(Runnable)}, of a job's run. The items of a chunk are watched one by one. */
    Optional<Lane.Planned> watch(Job job, Runnable stop) {
        return ItemStates.areIn(job) ? Optional.empty() : watch(stop);
    }

    /**
     * A call begins.
     *
     * @param stop stops it when it takes too long
     * @return that plan, to be cancelled when the call is over; empty when it may take as long as it likes
     */
    Optional<Lane.Planned> watch(Runnable stop) {
        return limit.map(longest -> lane.schedule(longest, stop));
    }

    @Override
    public void close() {
        lane.close();
    }
}
