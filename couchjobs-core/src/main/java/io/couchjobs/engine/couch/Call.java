package io.couchjobs.engine.couch;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.couch.config.CouchException;
import org.jspecify.annotations.Nullable;

/**
 * One request, ready to be sent.
 *
 * @param repeatable whether the request may be sent twice: it is a read, with any method, or an idempotent change
 */
public record Call(String method, UrlPath path, @Nullable Body body, boolean repeatable) {

    /** The JSON body of a request. */
    public static final class Body {

        private final byte[] bytes;

        /** Takes the bytes without a copy; the caller must not change them. */
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

    /** Returns a read that is a POST in CouchDB's API. */
    public static Call ask(UrlPath path, JsonNode question) {
        return new Call("POST", path, new Body(Json.bytes(question)), true);
    }

    /** Returns an idempotent change. */
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

    /** Returns whether the answer may wait for the index of a view. */
    boolean isOfView() {
        return path.toString().contains("/_view/");
    }

    CouchException.Failure.Request asRequest() {
        return new CouchException.Failure.Request(method, path.toString(), null, null);
    }
}
