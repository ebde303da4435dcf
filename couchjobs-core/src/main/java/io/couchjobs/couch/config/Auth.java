package io.couchjobs.couch.config;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * The credentials of a client. Immutable; no {@code toString} shows a secret.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/api/server/authn.html">CouchDB: Authentication</a>
 */
public sealed interface Auth {

    /** {@return the name of the user; empty for a token and without credentials} */
    default Optional<String> login() {
        if (this instanceof Basic basic) {
            return Optional.of(basic.user());
        }
        return this instanceof Session session ? Optional.of(session.user()) : Optional.empty();
    }

    /** No credentials. */
    record None() implements Auth {}

    /**
     * Name and password, sent with every request (basic authentication).
     *
     * @param user the user's name
     * @param password the password
     */
    record Basic(String user, Secret password) implements Auth {}

    /**
     * Name and password, sent once to obtain a session cookie. The cookie is renewed before it expires, and when the server
     * refuses it.
     *
     * @param user the user's name
     * @param password the password
     */
    record Session(String user, Secret password) implements Auth {}

    /**
     * A token (JWT) from another source, sent with every request. The token is read once and kept until the server refuses
     * it. If no other token can be read then, the old one stays in use.
     *
     * @param token supplies the current token; called again after a 401 or 400, by any thread; may throw
     */
    record Bearer(Supplier<String> token) implements Auth {
        @Override
        public String toString() {
            return "Bearer[token=***]";
        }
    }
}
