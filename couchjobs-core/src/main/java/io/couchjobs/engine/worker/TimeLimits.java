package io.couchjobs.engine.worker;

import io.couchjobs.engine.lifecycle.ItemStates;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Optional;

/** Stops calls of handlers that exceed the time limit. Thread-safe. */
final class TimeLimits implements AutoCloseable {
    private final Optional<Duration> limit;
    private final Lane lane;

    TimeLimits(Optional<Duration> limit, Environment environment) {
        this.limit = limit;
        this.lane = environment.lane("couchjobs-time-limits", 1);
    }

    /** As {@link #watch(Runnable)}, for the run of a job. The items of a chunk are watched one by one instead. */
    Optional<Lane.Planned> watch(Job job, Runnable stop) {
        return ItemStates.areIn(job) ? Optional.empty() : watch(stop);
    }

    /**
     * Begins to watch a call.
     *
     * @param stop stops the call when it takes too long
     * @return the planned stop, to be cancelled when the call is over; empty when there is no time limit
     */
    Optional<Lane.Planned> watch(Runnable stop) {
        return limit.map(longest -> lane.schedule(longest, stop));
    }

    @Override
    public void close() {
        lane.close();
    }
}
