package io.couchjobs.couch.config;

import org.jspecify.annotations.Nullable;

/** Thrown when a database, document, design document or view does not exist (404); {@link #reason} says which. */
public final class CouchNotFoundException extends CouchException {

    private static final long serialVersionUID = 1L;

    CouchNotFoundException(CouchException.Failure failure, @Nullable Throwable cause) {
        super(failure, cause);
    }
}
