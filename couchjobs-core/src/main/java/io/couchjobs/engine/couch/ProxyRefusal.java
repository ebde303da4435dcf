package io.couchjobs.engine.couch;

import java.io.IOException;

/** Thrown when the proxy answered instead of the server: it did not forward the request. */
final class ProxyRefusal extends IOException {

    private static final long serialVersionUID = 1L;

    ProxyRefusal(int status, String reason) {
        super(("it answered " + status + " " + reason).strip());
    }
}
