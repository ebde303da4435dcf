package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the server refuses a request as a whole because of missing or wrong credentials, or a missing permission (401
 * or 403). The status is 400 when the server refuses a bearer token, such as one that is signed with a key that it does not
 * have.
 */
public final class CouchUnauthorizedException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchUnauthorizedException(CouchException.Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }
}
