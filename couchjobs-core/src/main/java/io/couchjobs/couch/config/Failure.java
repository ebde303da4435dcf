package io.couchjobs.couch.config;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about a request that failed.
 *
 * @param status the HTTP status; 0 when there was no answer
 */
public record Failure(int status, String error, String reason, Request request, boolean outcomeUnknown)
        implements Serializable {

    /** The text that CouchDB sends in place of a reason. */
    private static final String NO_REASON = "internal_server_error";

    /** The statuses of a refused user and of a refused document are the same; the reason tells them apart. */
    private static final Set<String> NOT_ALLOWED_AT_ALL = Set.of(
            "Name or password is incorrect.",
            "Authentication required.",
            "You are not authorized to access this db.",
            "You are not allowed to access this db.",
            "You are not a server admin.",
            "Account is temporarily locked due to multiple authentication failures");

    /** A token has run out (401), or is none, or is signed with a key that the server does not have (400). */
    private static final Pattern TOKEN = Pattern.compile("exp not in future|nbf not in past|Token missing sub claim\\."
            + "|Malformed token|Bad HMAC|Bad signature|Unknown kid|Unknown kty|Not a valid key"
            + "|(Missing|Invalid) \\w+ (claim|header parameter)");

    /** The request, and the server's further information about it. */
    public record Request(
            String method,
            String path,
            @Nullable String id,
            @Nullable Duration retryAfter) implements Serializable {}

    /** {@return whether the server refused the user, not the document} */
    public boolean isAboutTheUser() {
        return NOT_ALLOWED_AT_ALL.contains(reason) || isAboutTheToken();
    }

    /** {@return whether the server refused the token} */
    public boolean isAboutTheToken() {
        return (status == 400 || status == 401) && TOKEN.matcher(reason).matches();
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
