package io.couchjobs.engine.time;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Detects that a monotonic clock stood still while the time of day went on, because the machine was suspended. Setting the
 * time of day forward looks the same. Thread-safe.
 */
final class Standstills {
    /** A shorter difference is no standstill; this is also the precision of the readings. */
    private static final long SHORTEST = Duration.ofMillis(100).toNanos();

    private static final int MOST = 100;

    private final InstantSource timeOfDay;
    private final Deque<Standstill> noticed = new ArrayDeque<>();
    private volatile long ahead;
    private boolean begun;

    /** A standstill of this length, detected when the clock showed these nanoseconds. */
    private record Standstill(long nanos, long length) {}

    Standstills(InstantSource timeOfDay) {
        this.timeOfDay = timeOfDay;
    }

    /** @param nanos the reading of the monotonic clock a moment ago */
    void observe(long nanos, LongSupplier ticker) {
        long day = Duration.ofMillis(timeOfDay.millis()).toNanos();
        boolean isExact = ticker.getAsLong() - nanos < SHORTEST / 2; // a thread may have to wait between two readings
        if (isExact && Math.abs(day - nanos - ahead) >= SHORTEST) {
            jumped(nanos, day - nanos);
        }
    }

    private synchronized void jumped(long nanos, long now) {
        long length = now - ahead;
        ahead = now;
        if (begun && length > 0) {
            noticed.add(new Standstill(nanos, length));
            if (noticed.size() > MOST) {
                noticed.remove();
            }
        }
        begun = true;
    }

    synchronized Duration since(long nanos) {
        long sum = noticed.stream()
                .filter(standstill -> standstill.nanos - nanos > 0)
                .mapToLong(Standstill::length)
                .sum();
        return Duration.ofNanos(sum);
    }
}
