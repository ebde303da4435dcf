package io.couchjobs.engine.worker;

import java.time.Duration;

/** How long the owner of a lease may be silent, as last heard of. Thread-safe. */
final class LeaseTimeout {
    private volatile Duration length;
    private volatile long graceUntilNanos;

    /**
     * The timeout of a new lease.
     *
     * @param nanos the time on the monotonic clock
     */
    LeaseTimeout(Duration length, long nanos) {
        this.length = length;
        this.graceUntilNanos = nanos;
    }

    Duration length() {
        return length;
    }

    /**
     * Sets the newest timeout. After it has become shorter, half of it is left to renew the lease, because the monitors count anew
     * when they hear of the change.
     */
    Duration become(Duration newest, long nanos) {
        if (newest.compareTo(length) < 0) {
            graceUntilNanos = nanos + newest.toNanos() / 2;
        }
        length = newest;
        return newest;
    }

    /** Whether the lease must not end yet, because its timeout has just become shorter. */
    boolean isInGrace(long nanos) {
        return graceUntilNanos - nanos > 0;
    }
}
