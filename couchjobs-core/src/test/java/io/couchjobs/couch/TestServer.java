package io.couchjobs.couch;

import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.EmbeddedCouch;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database of its own for a test class: on the server of {@code COUCHJOBS_TEST_URL}, else on an embedded one. */
final class TestServer implements BeforeAllCallback, AfterAllCallback {

    private EmbeddedCouch embedded;
    private CouchServer server;
    private CouchDatabase database;

    CouchServer server() {
        return server;
    }

    CouchDatabase database() {
        return database;
    }

    /** The server's configuration, to be varied. */
    CouchConfig.Builder config() {
        return CouchConfig.builder(server.config().url()).auth(server.config().auth());
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        String given = System.getenv("COUCHJOBS_TEST_URL");
        server = CouchServer.connect(
                given == null
                        ? embedded()
                        : CouchConfig.builder(URI.create(given)).build());
        database = server.database("couch-client-" + UUID.randomUUID());
        database.createIfMissing();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        database.delete();
        server.close();
        if (embedded != null) {
            embedded.close();
        }
    }

    private CouchConfig embedded() {
        embedded = EmbeddedCouch.builder().inMemory().admin("admin", "secret").start();
        URI url = URI.create("http://127.0.0.1:" + embedded.port());
        return CouchConfig.builder(url)
                .auth(new Auth.Basic("admin", Secret.of("secret")))
                .build();
    }
}
