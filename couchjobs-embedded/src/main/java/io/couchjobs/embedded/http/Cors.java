package io.couchjobs.embedded.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;

/**
 * Allows pages of one origin to read answers, with credentials, like CouchDB's {@code [cors]} settings.
 *
 * @param origin scheme, host and port; empty for no origin
 * @see <a href="https://docs.couchdb.org/en/stable/config/http.html#cross-origin-resource-sharing">CouchDB's settings</a>
 */
public record Cors(String origin) {
    public static final Cors NONE = new Cors("");

    private static final String METHODS = "GET, HEAD, POST, PUT, DELETE";
    private static final String EXPOSED = "content-type, etag, server, x-couch-request-id";

    /** Adds the CORS headers, and answers a preflight request. Returns whether the request is answered. */
    boolean answered(HttpExchange exchange) throws IOException {
        Headers asked = exchange.getRequestHeaders();
        if (origin.isEmpty() || !origin.equals(asked.getFirst("Origin"))) {
            return false;
        }
        Headers answer = exchange.getResponseHeaders();
        answer.set("Access-Control-Allow-Origin", origin);
        answer.set("Access-Control-Allow-Credentials", "true");
        answer.set("Access-Control-Expose-Headers", EXPOSED);
        answer.set("Vary", "Origin");
        if (!exchange.getRequestMethod().equals("OPTIONS")) {
            return false;
        }
        String headers = asked.getFirst("Access-Control-Request-Headers");
        answer.set("Access-Control-Allow-Methods", METHODS);
        if (headers != null) {
            answer.set("Access-Control-Allow-Headers", headers);
        }
        answer.set("Access-Control-Max-Age", "600");
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
        return true;
    }
}
