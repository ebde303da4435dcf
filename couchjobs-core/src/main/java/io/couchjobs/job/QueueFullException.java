package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** The type has as many pending jobs as its settings allow. Nothing was written; adding it later may succeed. */
public final class QueueFullException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the job that was not added.
     *
     * @param id the job
     * @param limit how many pending jobs its type may have
     */
    public QueueFullException(JobId id, int limit) {
        super(message(id, limit));
    }

    /**
     * {@return the message}
     *
     * @param id the job
     * @param limit how many pending jobs its type may have
     */
    public static String message(JobId id, int limit) {
        return "type " + id.type() + " has as many pending jobs as it may have (maxQueued " + limit + "); job " + id
                + " was not added";
    }
}
