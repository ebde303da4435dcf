package io.couchjobs.couch;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a request that failed.
 *
 * @param status the HTTP status; 0 when there was no answer
 */
record Failure(int status, String error, String reason, Request request, boolean outcomeUnknown)
        implements Serializable {

    /** What CouchDB says in place of one. */
    private static final String NO_REASON = "internal_server_error";

    /** Which request it was, and what the server said about it besides the error. */
    record Request(
            String method,
            String path,
            @Nullable String id,
            @Nullable Duration retryAfter) implements Serializable {

        static Request of(Call call) {
            return new Request(call.method(), call.path().toString(), null, null);
        }
    }

    String message() {
        return request.method() + " " + request.path() + ": " + (status > 0 ? status + " " : "") + error
                + (reason.isEmpty() ? "" : ": " + reason)
                + whereToLook();
    }

    /** CouchDB does not always tell its clients why something failed inside of it. */
    private String whereToLook() {
        List<String> notes = new ArrayList<>();
        if (request.id() != null) {
            notes.add("request " + request.id());
        }
        if (status == 500 && (reason.isEmpty() || reason.equals(NO_REASON))) {
            notes.add("the server's log says why: a full disk, for one");
        }
        return notes.isEmpty() ? "" : " (" + String.join("; ", notes) + ")";
    }
}
