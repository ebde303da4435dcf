package io.couchjobs.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** Where the database is. A bean of this type counts more than {@code couchjobs.url}, {@code .user}, {@code .password} and {@code .token}. */
public interface CouchjobsConnectionDetails extends ConnectionDetails {
    /** {@return the database, such as http://127.0.0.1:5984/jobs} */
    String url();

    /** {@return the user that logs in; null for none, or when the url names one} */
    default @Nullable String user() {
        return null;
    }

    /** {@return the password of that user} */
    default @Nullable String password() {
        return null;
    }
}
