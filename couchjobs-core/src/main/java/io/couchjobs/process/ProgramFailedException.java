package io.couchjobs.process;

/** Thrown when the exit code of a program reports a failure. Has no stack trace, because the place in couchjobs is irrelevant. */
final class ProgramFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramFailedException(String message) {
        super(message, null, false, false);
    }
}
