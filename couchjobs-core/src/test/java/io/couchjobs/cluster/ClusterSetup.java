package io.couchjobs.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Makes a cluster of nodes that run alone, by their own HTTP interface.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/setup/cluster.html">Cluster Set Up</a>
 */
final class ClusterSetup {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final List<URI> urls;

    /** Something that may not hold yet. */
    @FunctionalInterface
    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /** Of nodes with these URLs, credentials included. */
    ClusterSetup(List<URI> urls) {
        this.urls = List.copyOf(urls);
    }

    /** Tells the first node of the others by their Erlang names, waits until all know all, and creates the system databases. */
    void join(List<String> names) throws IOException, InterruptedException {
        for (String name : names.subList(1, names.size())) {
            put(0, "/_node/_local/_nodes/" + name, Set.of(201, 202, 409));
        }
        awaitMembers();
        for (String database : List.of("_users", "_replicator")) {
            put(0, "/" + database, Set.of(201, 202, 412));
        }
    }

    /** Waits until each node is a member, and in touch with all others. */
    void awaitMembers() throws IOException, InterruptedException {
        for (int node = 0; node < urls.size(); node++) {
            int asked = node;
            await("node " + (node + 1) + " knows all others", () -> {
                JsonNode members = MAPPER.readTree(send(asked, "GET", "/_membership", Duration.ofSeconds(5))
                        .body());
                return members.path("cluster_nodes").size() == urls.size()
                        && members.path("all_nodes").size() == urls.size();
            });
        }
    }

    /** Waits until a node, from 1 on, answers. */
    void awaitUp(int node) throws IOException, InterruptedException {
        await(
                "node " + node + " is up",
                () -> send(node - 1, "GET", "/_up", Duration.ofSeconds(5)).statusCode() == 200);
    }

    private static void await(String what, Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!isSo(condition)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("it did not come about within " + PATIENCE + " that " + what);
            }
            new CountDownLatch(1).await(250, TimeUnit.MILLISECONDS);
        }
    }

    /** A node that is not there yet, or not any more, does not answer at all. */
    private static boolean isSo(Condition condition) throws InterruptedException {
        try {
            return condition.holds();
        } catch (IOException notYet) {
            return false;
        }
    }

    private void put(int node, String path, Set<Integer> fine) throws IOException, InterruptedException {
        HttpResponse<String> answer = send(node, "PUT", path, Duration.ofSeconds(30));
        if (!fine.contains(answer.statusCode())) {
            throw new IOException("PUT " + path + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    private HttpResponse<String> send(int node, String method, String path, Duration patience)
            throws IOException, InterruptedException {
        URI url = urls.get(node);
        String user = Base64.getEncoder().encodeToString(url.getUserInfo().getBytes(StandardCharsets.UTF_8));
        URI target = URI.create("http://" + url.getHost() + ":" + url.getPort() + path);
        HttpRequest.BodyPublisher body =
                method.equals("GET") ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString("{}");
        return http.send(
                HttpRequest.newBuilder(target)
                        .timeout(patience)
                        .header("Authorization", "Basic " + user)
                        .header("Content-Type", "application/json")
                        .method(method, body)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
