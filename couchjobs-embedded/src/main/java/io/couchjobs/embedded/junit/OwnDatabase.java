package io.couchjobs.embedded.junit;

import java.util.UUID;

/** A database that JUnit deletes after the test. */
final class OwnDatabase implements AutoCloseable {
    private final TestDatabase database;

    OwnDatabase(TestServer server) {
        this.database = new TestDatabase(server, "test-" + UUID.randomUUID());
        Requests.send(server, "PUT", database.name());
    }

    TestDatabase database() {
        return database;
    }

    @Override
    public void close() {
        Requests.send(database.server(), "DELETE", database.name());
    }
}
