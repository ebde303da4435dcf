package io.couchjobs.engine.time;

import java.time.Duration;

/** A deadline on this process's monotonic clock. Immutable and thread-safe. */
public final class Deadline {
    private final Environment environment;
    private final long nanos;

    private Deadline(Environment environment, long nanos) {
        this.environment = environment;
        this.nanos = nanos;
    }

    /**
     * Returns the deadline of a timeout that begins now. The timeout is limited to a hundred years, since more does not fit
     * the clock.
     */
    public static Deadline after(Environment environment, Duration timeout) {
        Duration bounded = Environment.bounded(timeout);
        return new Deadline(environment, environment.nanos() + (bounded.isNegative() ? 0 : bounded.toNanos()));
    }

    /** {@return the nanoseconds left; zero when the deadline has passed} */
    public long nanosLeft() {
        return Math.max(0, nanos - environment.nanos());
    }

    public Duration left() {
        return Duration.ofNanos(nanosLeft());
    }
}
