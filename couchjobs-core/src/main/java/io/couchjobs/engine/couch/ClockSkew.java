package io.couchjobs.engine.couch;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the server's time of day from the dates of its answers. Suppose that a request was sent at t0 and its answer,
 * dated D, was received at t1. Then the server's clock showed at most D + 2 s at t0, and at least D at t1. (The date is
 * truncated to whole seconds, and CouchDB updates it only once a second.) Several answers narrow these bounds. The bounds
 * widen with time, because clocks drift. An answer that contradicts the bounds replaces them, because the server's clock was
 * set.
 *
 * <p>The times t0 and t1 are from the monotonic clock, so setting this machine's time of day does not matter. This machine's
 * time of day is used while it may agree with the server's, because it is more precise than whole seconds, and when no answer
 * has a date. Thread-safe.
 */
public final class ClockSkew {
    private static final Duration RESOLUTION = Duration.ofSeconds(2);
    /** Elapsed nanoseconds per nanosecond of drift: 500 ppm, the limit of clock daemons. */
    private static final long ELAPSED_PER_DRIFT = 2000;

    private static final Instant EARLIEST = Instant.parse("2025-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    /** The bounds of the server's time of day minus the monotonic time, as of a moment. */
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

        boolean allow(Duration offset) {
            return low.compareTo(offset) <= 0 && high.compareTo(offset) >= 0;
        }
    }

    private final LongSupplier nanos;
    private @Nullable Bounds bounds;

    ClockSkew(LongSupplier nanos) {
        this.nanos = nanos;
    }

    long nanos() {
        return nanos.getAsLong();
    }

    /** Returns whether any answer had a date. */
    synchronized boolean isKnown() {
        return bounds != null;
    }

    /** Updates the bounds with the date of an answer. Ignores impossible dates. */
    synchronized void observe(long sent, long received, Instant dated) {
        if (dated.isAfter(EARLIEST) && dated.isBefore(LATEST)) {
            long now = nanos();
            Duration since = Duration.between(Instant.EPOCH, dated);
            Bounds seen = new Bounds(
                    since.minusNanos(received), since.plus(RESOLUTION).minusNanos(sent), now);
            bounds = bounds == null ? seen : bounds.widenedTo(now).and(seen);
        }
    }

    /**
     * Returns the server's clock minus the given clock: zero while they may agree, otherwise the smallest possible
     * difference. With such a difference, a job may run a moment late, but not early. While the clocks may agree, the error
     * of the given clock is less than two seconds, and a job may run early by that error.
     */
    public synchronized Duration estimate(Instant local) {
        Bounds now = bounds == null ? null : bounds.widenedTo(nanos());
        Duration offset = offset(local);
        return now == null || now.allow(offset) ? Duration.ZERO : now.low.minus(offset);
    }

    /** Returns how much later than the estimate the server's clock may be. */
    public synchronized Duration doubt(Instant local) {
        Bounds now = bounds == null ? null : bounds.widenedTo(nanos());
        return now == null || now.allow(offset(local)) ? Duration.ZERO : now.high.minus(now.low);
    }

    private Duration offset(Instant local) {
        return Duration.between(Instant.EPOCH, local).minusNanos(nanos());
    }
}
