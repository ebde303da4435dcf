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
public sealed interface Timing permits CronTiming, Timing.Interval {
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

    /**
     * Ticks a fixed time apart, counted from a start: no tick depends on when another was noticed, so they never drift.
     * Immutable and thread-safe.
     *
     * @param every the distance: whole milliseconds, 1 s to 3650 days
     * @param from the first tick; later ones are whole distances after it
     */
    record Interval(Duration every, Instant from) implements Timing {
        private static final Duration SHORTEST = Duration.ofSeconds(1);
        private static final Duration LONGEST = Duration.ofDays(3650);

        /**
         * Checks the distance.
         *
         * @param every the distance
         * @param from the first tick
         * @throws IllegalArgumentException when the distance is too short or too long
         */
        public Interval {
            if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("every must be from 1 s to 3650 days: " + every);
            }
            every = Duration.ofMillis(every.toMillis());
            from = Instant.ofEpochMilli(from.toEpochMilli());
        }

        @Override
        public Optional<Instant> next(Instant after) {
            if (after.isBefore(from)) {
                return Optional.of(from);
            }
            long passed = Duration.between(from, after).dividedBy(every);
            return Optional.of(from.plusMillis((passed + 1) * every.toMillis()));
        }

        @Override
        public String toString() {
            return "every " + every + " from " + from;
        }
    }
}
