package io.couchjobs.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * When a schedule ticks: a pure function of time, so that all processes agree on it and nothing can drift. Immutable and
 * thread-safe.
 */
public sealed interface Timing permits CronTiming, IntervalTiming {
    /**
     * The next tick.
     *
     * @param after any time
     * @return the first tick after that time, never that time itself; empty when there is none any more
     */
    Optional<Instant> next(Instant after);

    /**
     * The next ticks.
     *
     * @param after any time
     * @param count how many
     * @return the first ticks after that time, in their order; fewer when there are no more
     */
    default List<Instant> next(Instant after, int count) {
        List<Instant> ticks = new ArrayList<>();
        Optional<Instant> tick = next(after);
        while (tick.isPresent() && ticks.size() < count) {
            ticks.add(tick.get());
            tick = next(tick.get());
        }
        return List.copyOf(ticks);
    }

    /**
     * The last tick up to a time. Found by halving: years of ticks every second are no more work than one.
     *
     * @param tick a tick
     * @param until a time, not before it
     * @return the last tick that is not after that time, which may be the given one
     */
    default Instant last(Instant tick, Instant until) {
        Instant low = tick;
        Instant high = until;
        while (isTickBetween(low, until)) {
            Instant middle = low.plus(Duration.between(low, high).dividedBy(2));
            Optional<Instant> found = next(middle).filter(next -> !next.isAfter(until));
            low = found.orElse(low);
            high = found.isPresent() ? high : middle;
        }
        return low;
    }

    private boolean isTickBetween(Instant after, Instant until) {
        return next(after).filter(next -> !next.isAfter(until)).isPresent();
    }
}
