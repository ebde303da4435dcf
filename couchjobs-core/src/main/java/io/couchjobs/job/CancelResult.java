package io.couchjobs.job;

/** The answers to a cancel. Immutable and thread-safe. Source: docspell's Joex. */
public enum CancelResult {
    /** It was pending, and is cancelled now. */
    CANCELLED,
    /** It is running, and its owner has been asked to stop. */
    REQUESTED,
    /**
     * The job waits on a cluster after others took it from its last owner, and its next claim will cancel it. This process could
     * not make that claim now: the job has a conflict, its limits leave no room, or the user lacks the role of a worker.
     */
    AT_NEXT_CLAIM,
    /** It is running, and the mode does not allow disturbing it; nothing was written. */
    RUNNING,
    /** It is finished; nothing was written. */
    ALREADY_FINISHED
}
