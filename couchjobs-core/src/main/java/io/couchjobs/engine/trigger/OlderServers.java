package io.couchjobs.engine.trigger;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnauthorizedException;
import java.util.Set;

/** Recognizes servers that do not support a request, so that the caller can use another request. */
final class OlderServers {
    private static final Set<Integer> UNKNOWN = Set.of(400, 404, 405, 501);

    private OlderServers() {}

    /**
     * Returns whether a refusal means that the server does not support the request. A refused token also has status 400 but does
     * not count.
     */
    static boolean doNotKnow(CouchException refusal) {
        return UNKNOWN.contains(refusal.status()) && !(refusal instanceof CouchUnauthorizedException);
    }
}
