package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/** The superclass of all exceptions of couchjobs, except those for illegal arguments and states. */
public class CouchJobsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception with a message.
     *
     * @param message the problem, the action taken, and the caller's options
     */
    public CouchJobsException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a message and a cause.
     *
     * @param message the problem, the action taken, and the caller's options
     * @param cause the cause, or null
     */
    public CouchJobsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
