package io.couchjobs.couch.config;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request to CouchDB failed as a whole. The message names the request, the status and the reason; it never holds
 * credentials. The result for one document of many is not an exception but a {@link io.couchjobs.couch.WriteResult}.
 */
public class CouchException extends CouchJobsException {

    private static final long serialVersionUID = 1L;

    private final Failure failure;

    /**
     * A failure.
     *
     * @param failure the known facts about it
     * @param cause the underlying exception; null when the server reported the failure
     */
    public CouchException(Failure failure, @Nullable Throwable cause) {
        super(failure.message(), cause);
        this.failure = failure;
    }

    /**
     * {@return the exception of a failure: of access, of something missing, or any other}
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

    /** {@return the server's word for it, such as {@code not_found}, or ours} */
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

    /** {@return the id of this request in the server's log ({@code X-Couch-Request-ID}), when it was given} */
    public Optional<String> requestId() {
        return Optional.ofNullable(failure.request().id());
    }

    /**
     * {@return whether this was a write that may have been carried out nevertheless: the connection broke after the
     * request may have reached the server, the answer could not be read, or the server (or a proxy) failed halfway}
     */
    public boolean outcomeUnknown() {
        return failure.outcomeUnknown();
    }

    /** {@return how long the server asks to be left alone ({@code Retry-After}), when it does} */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(failure.request().retryAfter());
    }
}
