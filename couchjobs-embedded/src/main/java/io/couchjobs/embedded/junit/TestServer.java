package io.couchjobs.embedded.junit;

import java.net.URI;
import java.util.Optional;

/**
 * The server that tests run against. Immutable.
 *
 * @param url the root of the server, with a slash at the end and without credentials
 * @param user the user name for logging in; empty when no login is needed
 * @param password the password of the user
 * @param name the vendor and version of the server
 */
public record TestServer(URI url, Optional<String> user, Optional<String> password, String name) {
    /** Returns a text without the password. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
