package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;

/** A run that depends on a lease, and must stop when the lease is over. Thread-safe. */
interface LeaseHolder {
    LeasedJob claim();

    /** {@return whether the job was lost} */
    boolean isHalted();

    /** Stops the handler, because the job is lost. */
    void halt();
}
