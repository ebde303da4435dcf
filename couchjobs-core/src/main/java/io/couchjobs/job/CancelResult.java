package io.couchjobs.job;

/** The answers to a cancel. Immutable and thread-safe. Source: docspell's Joex. */
public enum CancelResult {
    /** It was pending, and is cancelled now. */
    CANCELLED,
    /**
     * It is running, and its owner has been asked to stop. Or it waits on a cluster after its owner died, could not be claimed just now,
     * and its next claim cancels it.
     */
    REQUESTED,
    /** It is running, and the mode does not allow to disturb it; nothing was written. */
    RUNNING,
    /** It is finished; nothing was written. */
    ALREADY_FINISHED
}
