package io.couchjobs.scope;

/** The answers to a cancel of a scope's job. Immutable and thread-safe. Source: Riak Core Jobs. */
public enum CancelAnswer {
    /** It was queued, and is cancelled now. */
    CANCELLED,
    /** It was running and is being killed: its handler is interrupted, its result refused. */
    KILLED,
    /** It is running, and nobody wanted it killed; nothing was written. */
    RUNNING,
    /** It has ended before; nothing was written. */
    FINISHED
}
