package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/** The root of all exceptions that couchjobs throws for trouble, as opposed to a caller's illegal argument. */
public class CouchJobsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what happened.
     *
     * @param message the problem, the action taken, and the caller's options
     */
    public CouchJobsException(String message) {
        super(message);
    }

    /**
     * Says what happened and why.
     *
     * @param message the problem, the action taken, and the caller's options
     * @param cause why, or null
     */
    public CouchJobsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
