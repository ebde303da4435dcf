package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/**
 * The server refused the request as a whole (401 or 403): wrong or missing credentials, or not allowed here. With 400:
 * a bearer token that was signed with a key that the server does not have, or not any more.
 */
public final class CouchUnauthorizedException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchUnauthorizedException(CouchException.Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }
}
