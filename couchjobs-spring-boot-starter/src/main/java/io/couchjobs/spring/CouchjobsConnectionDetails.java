package io.couchjobs.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * The address and credentials of the database. A bean of this type overrides {@code couchjobs.url}, {@code .user}, {@code
 * .password} and {@code .token}.
 */
public interface CouchjobsConnectionDetails extends ConnectionDetails {
    /** {@return the URL of the database, such as http://127.0.0.1:5984/jobs} */
    String url();

    /** {@return the user name; null when there is none or the URL contains it} */
    default @Nullable String user() {
        return null;
    }

    /** {@return the password of the user} */
    default @Nullable String password() {
        return null;
    }
}
