package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/**
 * The data given for a job is not a JSON object. Nothing was sent to the server, nothing was stored; a job that was being
 * run keeps its lock and can be finished with other data.
 */
public final class InvalidJobDataException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the problem.
     *
     * @param message the problem of the data
     */
    public InvalidJobDataException(String message) {
        super(message);
    }
}
