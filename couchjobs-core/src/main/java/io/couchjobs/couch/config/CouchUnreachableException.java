package io.couchjobs.couch.config;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * No whole answer came: connection refused, unknown host, broken or silent connection. For a write,
 * {@link #outcomeUnknown} tells whether it may have been carried out; it was not sent a second time.
 */
public final class CouchUnreachableException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchUnreachableException(CouchException.Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }

    /**
     * A request to which no whole answer came.
     *
     * @param request the request
     * @param mayBeDone whether it may have been carried out, and cannot be repeated
     * @param reason the known facts about the trouble
     * @param cause the trouble
     * @return the exception
     */
    public static CouchUnreachableException of(
            CouchException.Failure.Request request, boolean mayBeDone, String reason, IOException cause) {
        return new CouchUnreachableException(
                new CouchException.Failure(0, "unreachable", reason, request, mayBeDone), cause);
    }
}
