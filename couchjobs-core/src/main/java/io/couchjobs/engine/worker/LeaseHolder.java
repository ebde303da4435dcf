package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;
import java.time.Duration;

/** What lives by a lease: a run, which has to stop when its lease is over. Thread-safe. */
interface LeaseHolder {
    LeasedJob claim();

    /** {@return the timeout of the job's type, as last heard of} */
    Duration timeout();

    /**
     * Hears of the timeout.
     *
     * @param newest the timeout of the job's type
     * @param nanos the time on the monotonic clock
     * @return the timeout
     */
    Duration timeout(Duration newest, long nanos);

    /** Whether the lease must not end yet, because the timeout has just become shorter. */
    boolean isInGrace(long nanos);

    /** Whether the job was lost. */
    boolean isHalted();

    /** The job is lost: the handler stops. */
    void halt();
}
