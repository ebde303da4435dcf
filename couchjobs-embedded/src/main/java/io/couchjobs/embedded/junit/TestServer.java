package io.couchjobs.embedded.junit;

import java.net.URI;
import java.util.Optional;

/**
 * The server that tests run against. Immutable.
 *
 * @param url the root of the server, with a slash at the end and without credentials
 * @param user the name to log in with, empty when nobody needs to
 * @param password the password of that user
 * @param name what the server says it is: vendor and version
 */
public record TestServer(URI url, Optional<String> user, Optional<String> password, String name) {
    /** Shows no password. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
