package io.couchjobs.worker;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler that failed so that a retry would be useless: the job is failed at once. */
public class PermanentJobException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what is wrong.
     *
     * @param message what is wrong, for the person who looks at the failed job
     */
    public PermanentJobException(String message) {
        super(message);
    }

    /**
     * Says what is wrong and why.
     *
     * @param message what is wrong, for the person who looks at the failed job
     * @param cause why, or null
     */
    public PermanentJobException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
