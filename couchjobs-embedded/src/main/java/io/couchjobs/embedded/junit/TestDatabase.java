package io.couchjobs.embedded.junit;

import java.net.URI;
import java.util.Optional;

/**
 * An empty database that belongs to one test and is deleted after it. Immutable.
 *
 * @param server where it is
 * @param name its name, which no other test has
 */
public record TestDatabase(TestServer server, String name) {
    /** {@return the address of the database, without credentials} */
    public URI url() {
        return server.url().resolve(name);
    }

    /** {@return the root of the server, with a slash at the end and without credentials} */
    public URI serverUrl() {
        return server.url();
    }

    /** {@return what the server says it is: vendor and version} */
    public String serverName() {
        return server.name();
    }

    /** {@return the name to log in with, empty when nobody needs to} */
    public Optional<String> user() {
        return server.user();
    }

    /** {@return the password of that user} */
    public Optional<String> password() {
        return server.password();
    }
}
