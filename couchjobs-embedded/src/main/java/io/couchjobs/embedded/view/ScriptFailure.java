package io.couchjobs.embedded.view;

/** A function that raised an exception or did not end. */
final class ScriptFailure extends RuntimeException {
    ScriptFailure(String message) {
        super(message, null, false, false);
    }
}
