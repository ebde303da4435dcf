package io.couchjobs.embedded.junit;

import java.net.URI;
import java.util.Optional;

/**
 * An empty database that belongs to one test and is deleted after it. Immutable.
 *
 * @param server the server of the database
 * @param name the name, which is unique to the test
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

    /** {@return the vendor and version of the server} */
    public String serverName() {
        return server.name();
    }

    /** {@return the user name for logging in; empty when no login is needed} */
    public Optional<String> user() {
        return server.user();
    }

    /** {@return the password of the user} */
    public Optional<String> password() {
        return server.password();
    }
}
