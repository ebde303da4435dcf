package io.couchjobs.engine.couch;

import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The server's time of day, by the dates of its answers. An answer dated D that was sent at t0 and seen at t1 says: when
 * it was sent the server's clock showed at most D + 2 s, when it was seen at least D. (The date is cut to whole seconds,
 * and CouchDB makes a new one only once a second.) Several answers narrow that down; as clocks drift, it widens again with
 * time, and an answer that contradicts the known bounds (the server's clock was set) starts over.
 *
 * <p>t0 and t1 are of the monotonic clock, so setting this machine's time of day does no harm. This machine's time of
 * day counts as long as it may be the server's too, since it is finer than whole seconds; and when no answer has a
 * date. Thread-safe.
 */
public final class ClockSkew {
    private static final Duration RESOLUTION = Duration.ofSeconds(2);
    /** 500 millionths, the limit of clock daemons: so many elapsed nanoseconds make one of drift. */
    private static final long ELAPSED_PER_DRIFT = 2000;

    private static final Instant EARLIEST = Instant.parse("2025-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    /** The bounds of the server's time of day less the monotonic time, as of a moment. */
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

    /** Whether any answer with a date was seen. */
    synchronized boolean isKnown() {
        return bounds != null;
    }

    /** Takes in the date of an answer. An impossible date is ignored. */
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
     * The server's clock less the given one: zero while they may agree, otherwise the least possible difference. A job
     * may then run a moment late, but not early. While no date contradicts an error of the given clock, which is then
     * below two seconds, a job may run early by that error.
     */
    public synchronized Duration estimate(Instant local) {
        Bounds now = bounds == null ? null : bounds.widenedTo(nanos());
        Duration offset = offset(local);
        return now == null || now.allow(offset) ? Duration.ZERO : now.low.minus(offset);
    }

    /** How much later than the estimate the server's clock may be. */
    public synchronized Duration doubt(Instant local) {
        Bounds now = bounds == null ? null : bounds.widenedTo(nanos());
        return now == null || now.allow(offset(local)) ? Duration.ZERO : now.high.minus(now.low);
    }

    private Duration offset(Instant local) {
        return Duration.between(Instant.EPOCH, local).minusNanos(nanos());
    }
}
