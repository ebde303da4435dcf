package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** What the replication between copies and databases does: stores leaves as they are. */
public final class Replication {
    private Replication() {}

    /** Each leaf has its {@code _rev}, and becomes a conflict beside those that are there. */
    public static void store(TestDatabase database, ObjectNode... leaves) throws IOException, InterruptedException {
        ObjectNode body = new ObjectMapper().createObjectNode().put("new_edits", false);
        for (ObjectNode leaf : leaves) {
            body.withArray("docs").add(leaf);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(database.url() + "/_bulk_docs"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()));
        database.user().ifPresent(user -> request.header("Authorization", "Basic " + encoded(user, database)));
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    }

    private static String encoded(String user, TestDatabase database) {
        String both = user + ":" + database.password().orElse("");
        return Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
    }
}
