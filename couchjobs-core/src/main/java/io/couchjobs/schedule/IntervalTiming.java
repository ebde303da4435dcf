package io.couchjobs.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Ticks a fixed time apart, counted from a start: no tick depends on when another was noticed, so they never drift.
 * Immutable and thread-safe.
 *
 * @param every the distance: whole milliseconds, 1 s to 3650 days
 * @param from the first tick; later ones are whole distances after it
 */
public record IntervalTiming(Duration every, Instant from) implements Timing {
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(3650);

    /**
     * Checks the distance.
     *
     * @param every the distance
     * @param from the first tick
     * @throws IllegalArgumentException when the distance is too short or too long
     */
    public IntervalTiming {
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
