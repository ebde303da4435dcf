package io.couchjobs.embedded.junit;

import java.util.UUID;

/** A database that JUnit deletes when the test is over. */
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
