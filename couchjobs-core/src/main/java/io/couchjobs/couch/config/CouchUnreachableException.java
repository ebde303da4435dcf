package io.couchjobs.couch.config;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when no complete answer came: unknown host, or refused, broken or silent connection. For a write, {@link
 * #outcomeUnknown} says whether it may have been carried out; the client did not send such a write a second time.
 */
public final class CouchUnreachableException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchUnreachableException(CouchException.Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }

    /**
     * Creates the exception for a request without a complete answer.
     *
     * @param request the request
     * @param mayBeDone whether the request is a write that may have been carried out
     * @param reason the known facts about the trouble
     * @param cause the underlying exception
     * @return the exception
     */
    public static CouchUnreachableException of(
            CouchException.Failure.Request request, boolean mayBeDone, String reason, IOException cause) {
        return new CouchUnreachableException(
                new CouchException.Failure(0, "unreachable", reason, request, mayBeDone), cause);
    }
}
