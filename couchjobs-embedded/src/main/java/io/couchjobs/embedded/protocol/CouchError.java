package io.couchjobs.embedded.protocol;

import java.util.Objects;

/** An error response: the HTTP status, and the two fields of CouchDB's error body. */
public final class CouchError extends RuntimeException {
    private final int status;
    private final String error;

    public CouchError(int status, String error, String reason) {
        super(reason, null, false, false);
        this.status = status;
        this.error = error;
    }

    public static CouchError badRequest(String reason) {
        return new CouchError(400, "bad_request", reason);
    }

    public static CouchError queryParse(String reason) {
        return new CouchError(400, "query_parse_error", reason);
    }

    public static CouchError missing() {
        return new CouchError(404, "not_found", "missing");
    }

    public static CouchError deleted() {
        return new CouchError(404, "not_found", "deleted");
    }

    public static CouchError noDatabase() {
        return new CouchError(404, "not_found", "Database does not exist.");
    }

    public static CouchError exists() {
        return new CouchError(412, "file_exists", "The database could not be created, the file already exists.");
    }

    public static CouchError conflict() {
        return new CouchError(409, "conflict", "Document update conflict.");
    }

    public static CouchError unauthorized(String reason) {
        return new CouchError(401, "unauthorized", reason);
    }

    public static CouchError forbidden(String reason) {
        return new CouchError(403, "forbidden", reason);
    }

    public int status() {
        return status;
    }

    public String error() {
        return error;
    }

    public String reason() {
        return Objects.requireNonNullElse(getMessage(), "");
    }
}
