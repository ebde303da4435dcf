package io.couchjobs.worker;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler when a retry would be useless. The job fails permanently at once. */
public class PermanentJobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the problem, for the person who looks at the failed job
     */
    public PermanentJobException(String message) {
        super(message);
    }

    /**
     * Creates the exception with a cause.
     *
     * @param message the problem, for the person who looks at the failed job
     * @param cause the cause, or null
     */
    public PermanentJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
