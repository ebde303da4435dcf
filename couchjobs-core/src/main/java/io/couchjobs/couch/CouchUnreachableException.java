package io.couchjobs.couch;

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
}
