package io.couchjobs.testing;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A database with one copy of each document, on a cluster too: for tests whose subject is not what follows from copies that differ
 * for a moment (an index that lags behind, a guard that is not everywhere yet).
 */
public final class OneCopy implements AutoCloseable {
    private final TestDatabase own;
    private final TestDatabase database;

    /**
     * The database itself where it has one copy, or else another one.
     *
     * @param own of the test
     */
    public OneCopy(TestDatabase own) {
        this.own = own;
        this.database = hasOneCopy(own) ? own : another(own);
    }

    public TestDatabase database() {
        return database;
    }

    @Override
    public void close() {
        if (!database.equals(own)) {
            send(database, "DELETE", "");
        }
    }

    /** Whether the server keeps one copy of each document, as it does where it is no cluster. */
    private static boolean hasOneCopy(TestDatabase database) {
        CouchConfig.Builder config = CouchConfig.builder(database.serverUrl());
        database.user()
                .ifPresent(user -> config.auth(
                        new Auth.Basic(user, Secret.of(database.password().orElse("")))));
        try (CouchServer server = CouchServer.connect(config.build())) {
            return server.database(database.name()).info().copies() == 1;
        }
    }

    private static TestDatabase another(TestDatabase own) {
        TestDatabase other = new TestDatabase(own.server(), own.name() + "-one-copy");
        send(other, "PUT", "?n=1");
        return other;
    }

    private static void send(TestDatabase database, String method, String query) {
        String credentials =
                database.user().orElse("") + ":" + database.password().orElse("");
        HttpRequest request = HttpRequest.newBuilder(URI.create(database.url() + query))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            int status = HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status / 100 != 2) {
                throw new AssertionError(method + " " + database.url() + ": " + status);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
