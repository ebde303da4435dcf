package io.couchjobs.scope;

/**
 * The answer of a scope to a job; the constants after {@code OK} are checked in their order. Immutable and thread-safe.
 * Source: Riak Core Jobs.
 */
public enum Answer {
    /** It is queued, or runs already; if its service dies, it runs when there is one again. */
    OK,
    /** The scope is not running: it was stopped, or never started. */
    SCOPE_SHUTDOWN,
    /** All places are taken, and as many jobs wait as may. */
    JOB_QUEUE_FULL,
    /** It could never run there: its data does not fit, its id is taken, or the database refuses to store it. */
    NOT_RUNNABLE,
    /** The scope does not take jobs of this class, or its accept function does not want it. */
    JOB_REJECTED
}
