package io.couchjobs.engine.worker;

import io.couchjobs.engine.claim.LeasedJob;

/** What lives by a lease: a run, which has to stop when its lease is over. Thread-safe. */
interface LeaseHolder {
    LeasedJob claim();

    LeaseTimeout timeout();

    /** Whether the job was lost. */
    boolean isHalted();

    /** The job is lost: the handler stops. */
    void halt();
}
