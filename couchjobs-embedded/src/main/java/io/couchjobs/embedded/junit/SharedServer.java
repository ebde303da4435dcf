package io.couchjobs.embedded.junit;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.protocol.Json;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The server that all tests share. JUnit closes an embedded server at the end of the run. */
final class SharedServer implements AutoCloseable {
    private final TestServer server;
    private final @Nullable EmbeddedCouch embedded;

    private SharedServer(TestServer server, @Nullable EmbeddedCouch embedded) {
        this.server = named(server);
        this.embedded = embedded;
    }

    static SharedServer start(@Nullable String url) {
        if (url != null && !url.isBlank()) {
            return new SharedServer(parse(URI.create(url.strip())), null);
        }
        EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
        return new SharedServer(new TestServer(couch.url(), Optional.empty(), Optional.empty(), ""), couch);
    }

    private static TestServer parse(URI url) {
        String[] login =
                url.getUserInfo() == null ? new String[0] : url.getUserInfo().split(":", 2);
        URI root = URI.create(
                url.getScheme() + "://" + url.getHost() + (url.getPort() < 0 ? "" : ":" + url.getPort()) + "/");
        return new TestServer(root, part(login, 0), part(login, 1), "");
    }

    private static Optional<String> part(String[] login, int n) {
        return n < login.length ? Optional.of(login[n]) : Optional.empty();
    }

    private static TestServer named(TestServer server) {
        JsonNode welcome = Json.parse(Requests.send(server, "GET", ""));
        String name = welcome.path("vendor").path("name").asText() + " "
                + welcome.path("version").asText();
        return new TestServer(server.url(), server.user(), server.password(), name);
    }

    TestServer server() {
        return server;
    }

    @Override
    public void close() {
        if (embedded != null) {
            embedded.close();
        }
    }
}
