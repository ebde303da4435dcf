package io.couchjobs.engine.couch;

import java.io.IOException;

/** The proxy answered in place of the server: the request was not passed on. */
final class ProxyRefusal extends IOException {

    private static final long serialVersionUID = 1L;

    ProxyRefusal(int status, String reason) {
        super(("it answered " + status + " " + reason).strip());
    }
}
