package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Replicates one database to another on the same server, by what CouchDB's replication protocol says: all leaves of what changed,
 * with their histories, stored as they are. Unlike a real one it can deliver in any order, and again.
 */
final class Replication {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient http = HttpClient.newHttpClient();
    private final TestDatabase server;
    private final String from;
    private final String to;

    Replication(TestDatabase server, String from, String to) {
        this.server = server;
        this.from = from;
        this.to = to;
    }

    /** Everything, in the order of the changes. */
    void run() {
        deliver(all());
    }

    /** CouchDB's own replication of jobs; other servers have none, or a slow one. */
    void runAsTheGuideSays() {
        if (!server.serverName().contains("Apache")) {
            run();
            return;
        }
        JsonNode done = send("POST", "", "_replicate", ofJobs().toString());
        assertThat(done.path("ok").asBoolean()).as("%s", done).isTrue();
    }

    /** CouchDB's own replication of jobs, which goes on until it is closed; with other servers it goes on when it is run. */
    Live live() {
        boolean real = server.serverName().contains("Apache");
        ObjectNode task = ofJobs().put("continuous", true);
        if (real) {
            send("POST", "", "_replicate", task.toString());
        }
        return new Live() {
            @Override
            public void run() {
                if (!real) {
                    Replication.this.run();
                }
            }

            @Override
            public void close() {
                if (real) {
                    send("POST", "", "_replicate", task.put("cancel", true).toString());
                }
            }
        };
    }

    /** A replication that goes on. */
    interface Live extends Runnable, AutoCloseable {
        @Override
        void close();
    }

    private ObjectNode ofJobs() {
        ObjectNode task = MAPPER.createObjectNode().put("source", url(from)).put("target", url(to));
        task.putObject("selector").putObject("_id").put("$gte", "job:").put("$lt", "job;");
        return task;
    }

    private String url(String database) {
        String login = server.user()
                .map(user -> user + ":" + server.password().orElse("") + "@")
                .orElse("");
        return server.serverUrl().toString().replaceFirst("//", "//" + login) + database;
    }

    /** Every leaf of every document by itself, in an order that a seed decides, some of them twice. */
    void runInDisorder(long seed) {
        Random random = new Random(seed);
        List<ObjectNode> leaves = new ArrayList<>(all());
        all().stream().filter(leaf -> random.nextBoolean()).forEach(leaves::add);
        Collections.shuffle(leaves, random);
        leaves.forEach(leaf -> deliver(List.of(leaf)));
    }

    /** What a replication would send now, to be delivered whenever. */
    List<ObjectNode> all() {
        List<ObjectNode> leaves = new ArrayList<>();
        for (JsonNode row : get(from, "_changes?style=all_docs").path("results")) {
            String id = row.path("id").asText();
            if (!id.startsWith("_design/")) {
                leaves.addAll(leaves(id));
            }
        }
        return leaves;
    }

    void deliver(List<ObjectNode> leaves) {
        ObjectNode body = MAPPER.createObjectNode().put("new_edits", false);
        ArrayNode docs = body.putArray("docs");
        leaves.forEach(docs::add);
        JsonNode refused = send("POST", to, "_bulk_docs", body.toString());
        TestQueue.assumeThatAnyStateMayBeReplicated(refused.isEmpty());
        assertThat(refused).isEmpty();
    }

    private List<ObjectNode> leaves(String id) {
        List<ObjectNode> leaves = new ArrayList<>();
        String path = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
        get(from, path + "?open_revs=all&revs=true&attachments=true").forEach(leaf -> {
            if (leaf.path("ok") instanceof ObjectNode document) {
                leaves.add(document);
            }
        });
        return leaves;
    }

    private JsonNode get(String database, String path) {
        return send("GET", database, path, "");
    }

    private JsonNode send(String method, String database, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(server.serverUrl() + (database.isEmpty() ? "" : database + "/") + path))
                .header("Accept", "application/json")
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        server.user().ifPresent(user -> {
            String login = user + ":" + server.password().orElse("");
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8)));
        });
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isLessThan(300);
            return MAPPER.readTree(answer.body());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
