package io.couchjobs.couch;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server's clock minus this machine's. An answer dated D that was sent after t0 and seen before t1 says: the skew
 * is between D - t1 and D + 2 s - t0: the date is cut to whole seconds, and CouchDB makes a new one only once a second. Several answers narrow that down; as clocks drift, it
 * widens again with time, and an answer that contradicts what was known (a clock was set) starts over.
 */
final class ClockSkew {

    private static final Duration RESOLUTION = Duration.ofSeconds(2);
    /** 500 millionths, what clock daemons allow themselves: so many elapsed nanoseconds are one of drift. */
    private static final long ELAPSED_PER_DRIFT = 2000;

    /** What is possible, as of a moment. */
    private record Bounds(Duration low, Duration high, long asOf) {

        Bounds widenedTo(long now) {
            Duration drift = Duration.ofNanos((now - asOf) / ELAPSED_PER_DRIFT);
            return new Bounds(low.minus(drift), high.plus(drift), now);
        }

        Bounds and(Bounds newer) {
            Duration greaterLow = low.compareTo(newer.low) > 0 ? low : newer.low;
            Duration lesserHigh = high.compareTo(newer.high) < 0 ? high : newer.high;
            return greaterLow.compareTo(lesserHigh) <= 0 ? new Bounds(greaterLow, lesserHigh, newer.asOf) : newer;
        }

        /** The least that is possible: a job may run a moment late by it, never early. */
        Duration estimate() {
            boolean clocksMayAgree = low.compareTo(Duration.ZERO) <= 0 && high.compareTo(Duration.ZERO) >= 0;
            return clocksMayAgree ? Duration.ZERO : low;
        }
    }

    private final LongSupplier nanos;
    private @Nullable Bounds bounds;

    ClockSkew(LongSupplier nanos) {
        this.nanos = nanos;
    }

    synchronized void observe(Instant sent, Instant received, Instant dated) {
        long now = nanos.getAsLong();
        Bounds seen =
                new Bounds(Duration.between(received, dated), Duration.between(sent, dated.plus(RESOLUTION)), now);
        bounds = bounds == null ? seen : bounds.widenedTo(now).and(seen);
    }

    synchronized Duration estimate() {
        return bounds == null ? Duration.ZERO : bounds.estimate();
    }
}
