package io.couchjobs.job;

/** The phase of a job: its status in the words of the CouchDB background-jobs RFC (007). Immutable and thread-safe. */
public enum JobPhase {
    /** Waiting for its time, its worker, or its retry. */
    PENDING,
    /** Owned by a worker. */
    RUNNING,
    /** Done: well, badly or by a cancel. */
    FINISHED,
    /** No such job: never added, or removed. */
    NOT_FOUND
}
