package io.couchjobs.dashboard;

import java.io.Serial;

/** Thrown to answer a request with an error; the message is for people. */
class Refusal extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;

    Refusal(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }

    static Refusal notFound(String what) {
        return new Refusal(404, "there is no " + what);
    }
}
