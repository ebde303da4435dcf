package io.couchjobs.embedded.view;

/** Thrown when a JavaScript function fails or exceeds the time limit. */
final class ScriptFailure extends RuntimeException {
    ScriptFailure(String message) {
        super(message, null, false, false);
    }
}
