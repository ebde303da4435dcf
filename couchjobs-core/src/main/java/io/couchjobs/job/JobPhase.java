package io.couchjobs.job;

/** The phase of a job: its status in the terms of the CouchDB background-jobs RFC (007). Immutable and thread-safe. */
public enum JobPhase {
    /** Waiting for its time, its worker, or its retry. */
    PENDING,
    /** Owned by a worker. */
    RUNNING,
    /** Succeeded, failed or cancelled. */
    FINISHED,
    /** The job does not exist: it was never added, or was removed. */
    NOT_FOUND
}
