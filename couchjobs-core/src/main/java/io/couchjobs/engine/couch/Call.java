package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.CouchException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One request, ready to be sent.
 *
 * @param repeatable whether sending it twice is the same as sending it once: a read, with any method, or a change that
 *     may happen twice
 */
public record Call(String method, UrlPath path, @Nullable Body body, boolean repeatable, Map<String, String> headers) {

    /** The content sent with a request, of the given type. */
    public static final class Body {

        private final byte[] bytes;
        private final String contentType;

        /** The bytes are not copied: the caller must not change them. */
        public Body(byte[] bytes, String contentType) {
            this.bytes = bytes;
            this.contentType = contentType;
        }

        byte[] bytes() {
            return bytes;
        }

        String contentType() {
            return contentType;
        }
    }

    public static final String JSON = "application/json";

    public static Call get(UrlPath path) {
        return new Call("GET", path, null, true, Map.of());
    }

    public static Call head(UrlPath path) {
        return new Call("HEAD", path, null, true, Map.of());
    }

    /** A read that CouchDB takes as a POST. */
    public static Call ask(UrlPath path, JsonNode question) {
        return new Call("POST", path, new Body(Json.bytes(question), JSON), true, Map.of());
    }

    /** A change that may happen twice. */
    public static Call repeatable(String method, UrlPath path) {
        return new Call(method, path, null, true, Map.of());
    }

    public static Call repeatable(String method, UrlPath path, byte[] json) {
        return new Call(method, path, new Body(json, JSON), true, Map.of());
    }

    public static Call write(String method, UrlPath path) {
        return new Call(method, path, null, false, Map.of());
    }

    public static Call write(String method, UrlPath path, byte[] json) {
        return new Call(method, path, new Body(json, JSON), false, Map.of());
    }

    /** Whether the answer waits for the index of a view. */
    boolean isOfView() {
        return path.toString().contains("/_view/");
    }

    CouchException.Failure.Request asRequest() {
        return new CouchException.Failure.Request(method, path.toString(), null, null);
    }
}
