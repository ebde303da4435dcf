package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/** The root of all exceptions that couchjobs throws for trouble, as opposed to a caller's illegal argument. */
public class CouchJobsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what happened.
     *
     * @param message what happened, what was done about it, what the caller can do
     */
    public CouchJobsException(String message) {
        super(message);
    }

    /**
     * Says what happened and why.
     *
     * @param message what happened, what was done about it, what the caller can do
     * @param cause why, or null
     */
    public CouchJobsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
