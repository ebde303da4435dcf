package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;

/** Lives by a lease: a run has to stop when its lease is over. Thread-safe. */
interface LeaseHolder {
    LeasedJob claim();

    /** Whether the job was lost. */
    boolean isHalted();

    /** The job is lost: the handler stops. */
    void halt();
}
