package io.couchjobs.worker;

/** Why a handler is to stop before it is done. Immutable and thread-safe. */
public enum StopReason {
    /** The job is not this worker's any more: removed, taken over, or its lease could not be renewed. */
    HALTED,
    /** Somebody cancelled the job. */
    CANCELLED,
    /** The run takes longer than its time limit. */
    TOO_SLOW,
    /** The worker closes and the time for that is over. */
    CLOSING
}
