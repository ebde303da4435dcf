package io.couchjobs.couch.config;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a request to CouchDB fails as a whole. The message names the request, the status and the reason; it never
 * contains credentials. The failure of a single document is not an exception but a {@link io.couchjobs.couch.WriteResult}.
 */
public class CouchException extends CouchJobsException {

    private static final long serialVersionUID = 1L;

    private final Failure failure;

    /**
     * Creates an exception for a failure.
     *
     * @param failure the known facts about the failure
     * @param cause the underlying exception; null when the server reported the failure
     */
    public CouchException(Failure failure, @Nullable Throwable cause) {
        super(failure.message(), cause);
        this.failure = failure;
    }

    /**
     * {@return the exception for a failure: {@link CouchUnauthorizedException}, {@link CouchNotFoundException} or this class}
     *
     * @param failure the failure that the server reported
     */
    public static CouchException of(Failure failure) {
        if (failure.isAboutTheToken()) {
            return new CouchUnauthorizedException(failure, null);
        }
        return switch (failure.status()) {
            case 401, 403 -> new CouchUnauthorizedException(failure, null);
            case 404 -> new CouchNotFoundException(failure, null);
            default -> new CouchException(failure, null);
        };
    }

    /** {@return the HTTP status; 0 when there was no answer} */
    public int status() {
        return failure.status();
    }

    /** {@return the error code of the server, such as {@code not_found}, or of this client, such as {@code unreachable}} */
    public String error() {
        return failure.error();
    }

    /** {@return the explanation; may be empty} */
    public String reason() {
        return failure.reason();
    }

    /** {@return the HTTP method} */
    public String method() {
        return failure.request().method();
    }

    /** {@return the path on the server with its query, encoded} */
    public String path() {
        return failure.request().path();
    }

    /** {@return the id of this request in the server's log ({@code X-Couch-Request-ID}), if the server sent it} */
    public Optional<String> requestId() {
        return Optional.ofNullable(failure.request().id());
    }

    /**
     * {@return whether the request was a write that may have been carried out nevertheless} The connection broke after the
     * request may have reached the server, the answer could not be read, or the server or a proxy failed halfway.
     */
    public boolean outcomeUnknown() {
        return failure.outcomeUnknown();
    }

    /** {@return how long the client should wait before a retry, if the server says so ({@code Retry-After})} */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(failure.request().retryAfter());
    }

    /**
     * The known facts about a request that failed.
     *
     * @param status the HTTP status; 0 when there was no answer
     */
    public record Failure(int status, String error, String reason, Request request, boolean outcomeUnknown)
            implements Serializable {

        /** The text that CouchDB sends in place of a reason. */
        private static final String NO_REASON = "internal_server_error";

        /** Reasons for refusing a user. A refused document has the same status, so only the reason distinguishes the two cases. */
        private static final Set<String> NOT_ALLOWED_AT_ALL = Set.of(
                "Name or password is incorrect.",
                "Authentication required.",
                "You are not authorized to access this db.",
                "You are not allowed to access this db.",
                "You are not a server admin.",
                "Account is temporarily locked due to multiple authentication failures");

        /**
         * Reasons for refusing a token: it has expired (401), is malformed, or is signed with a key that the server does not
         * have (400).
         */
        private static final Pattern TOKEN =
                Pattern.compile("exp not in future|nbf not in past|Token missing sub claim\\."
                        + "|Malformed token|Bad HMAC|Bad signature|Unknown kid|Unknown kty|Not a valid key"
                        + "|(Missing|Invalid) \\w+ (claim|header parameter)");

        /** The request, and further information from the server about it. */
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

        /** Returns notes for an administrator, because CouchDB does not always say why an internal operation failed. */
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
}
