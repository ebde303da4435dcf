package io.couchjobs.couch;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * No whole answer came: connection refused, unknown host, broken or silent connection. For a write,
 * {@link #outcomeUnknown} tells whether it may have been carried out; it was not sent a second time.
 */
public final class CouchUnreachableException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchUnreachableException(Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }

    /** A request to which no whole answer came; {@code sent} when it may have reached the server. */
    static CouchUnreachableException of(
            Call call, Failure.Request request, boolean sent, String reason, IOException cause) {
        return new CouchUnreachableException(
                new Failure(0, "unreachable", reason, request, sent && !call.repeatable()), cause);
    }
}
