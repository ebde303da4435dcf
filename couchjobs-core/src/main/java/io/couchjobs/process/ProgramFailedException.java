package io.couchjobs.process;

/** A program said by its exit code that it failed; where in our code that was noticed is of no interest. */
final class ProgramFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramFailedException(String message) {
        super(message, null, false, false);
    }
}
