package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.CouchException;
import org.jspecify.annotations.Nullable;

/**
 * One request, ready to be sent.
 *
 * @param repeatable whether sending it twice is the same as sending it once: a read, with any method, or a change that
 *     may happen twice
 */
public record Call(String method, UrlPath path, @Nullable Body body, boolean repeatable) {

    /** JSON that is sent with a request. */
    public static final class Body {

        private final byte[] bytes;

        /** The bytes are not copied: the caller must not change them. */
        Body(byte[] bytes) {
            this.bytes = bytes;
        }

        byte[] bytes() {
            return bytes;
        }
    }

    public static Call get(UrlPath path) {
        return new Call("GET", path, null, true);
    }

    public static Call head(UrlPath path) {
        return new Call("HEAD", path, null, true);
    }

    /** A read that CouchDB takes as a POST. */
    public static Call ask(UrlPath path, JsonNode question) {
        return new Call("POST", path, new Body(Json.bytes(question)), true);
    }

    /** A change that may happen twice. */
    public static Call repeatable(String method, UrlPath path) {
        return new Call(method, path, null, true);
    }

    public static Call repeatable(String method, UrlPath path, byte[] json) {
        return new Call(method, path, new Body(json), true);
    }

    public static Call write(String method, UrlPath path) {
        return new Call(method, path, null, false);
    }

    public static Call write(String method, UrlPath path, byte[] json) {
        return new Call(method, path, new Body(json), false);
    }

    /** Whether the answer waits for the index of a view. */
    boolean isOfView() {
        return path.toString().contains("/_view/");
    }

    CouchException.Failure.Request asRequest() {
        return new CouchException.Failure.Request(method, path.toString(), null, null);
    }
}
