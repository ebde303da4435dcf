package io.couchjobs.couch.config;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The credentials of a client. Immutable; no {@code toString} shows a secret.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/server/authn.html">CouchDB: Authentication</a>
 */
public sealed interface Auth {

    /** {@return the name of the user, where it is known without asking the server: not of a token's} */
    default Optional<String> login() {
        if (this instanceof Basic basic) {
            return Optional.of(basic.user());
        }
        return this instanceof Session session ? Optional.of(session.user()) : Optional.empty();
    }

    /** Nobody in particular. */
    record None() implements Auth {}

    /**
     * Name and password with every request.
     *
     * @param user the user's name
     * @param password the password
     */
    record Basic(String user, Secret password) implements Auth {}

    /**
     * Name and password once, for a cookie that is renewed before it runs out and when the server refuses it.
     *
     * @param user the user's name
     * @param password the password
     */
    record Session(String user, Secret password) implements Auth {}

    /**
     * A token (JWT) from elsewhere with every request. It is read once and kept until the server refuses it, and as long as no
     * other can be read.
     *
     * @param token gives the current token; asked again after a 401 or 400; may be called by any thread, and may throw
     */
    record Bearer(Supplier<String> token) implements Auth {
        @Override
        public String toString() {
            return "Bearer[token=***]";
        }
    }
}
