package io.couchjobs.couch;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A database of its own for a test class. */
final class TestServer implements BeforeAllCallback, AfterAllCallback {

    private CouchServer server;
    private CouchDatabase database;

    CouchServer server() {
        return server;
    }

    CouchDatabase database() {
        return database;
    }

    static URI url() {
        return URI.create(System.getenv("COUCHJOBS_TEST_URL"));
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        assumeTrue(System.getenv("COUCHJOBS_TEST_URL") != null, "COUCHJOBS_TEST_URL names no server");
        server = CouchServer.connect(CouchConfig.builder(url()).build());
        database = server.database("couch-client-" + UUID.randomUUID());
        database.createIfMissing();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (server != null) {
            database.delete();
            server.close();
        }
    }
}
