package io.couchjobs.engine.trigger;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import java.util.Set;

/** Servers that do not know some requests, and get other requests instead. */
final class OlderServers {
    private static final Set<Integer> UNKNOWN = Set.of(400, 404, 405, 501);

    private OlderServers() {}

    /** Whether the server does not know the request. A refused token is a 400, too, but does not mean that. */
    static boolean doNotKnow(CouchException refusal) {
        return UNKNOWN.contains(refusal.status()) && !(refusal instanceof CouchUnauthorizedException);
    }
}
