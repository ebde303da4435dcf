package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** A strict queue refuses jobs of a type that has no timeout. Nothing was written. Source: the RFC. */
public final class NoTypeTimeoutException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Names the type.
     *
     * @param type the type
     */
    public NoTypeTimeoutException(String type) {
        super(message(type));
    }

    /**
     * The message of the exception for a type.
     *
     * @param type the type
     * @return the message
     */
    public static String message(String type) {
        return "type " + type + " has no timeout and the queue is strict; set one first";
    }
}
