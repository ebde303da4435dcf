package io.couchjobs.embedded.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.protocol.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The races of {@link RaceProportionsTest} over HTTP, on a cluster of whatever kind. */
final class HttpRace {
    private final HttpClient client = HttpClient.newHttpClient();
    private final String title;
    private final List<URI> nodes;
    private final int races;
    private final String database = "race-" + UUID.randomUUID();

    HttpRace(String title, List<URI> nodes, int races) {
        this.title = title;
        this.nodes = List.copyOf(nodes);
        this.races = races;
    }

    private HttpResponse<byte[]> send(int node, String method, String path, String body) throws Exception {
        URI url = nodes.get(node);
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + url.getHost() + ":" + url.getPort() + "/" + database + path))
                .header("Authorization", "Basic " + credentials(url))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    private static String credentials(URI url) {
        String user = url.getUserInfo() == null ? ":" : url.getUserInfo();
        return Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }

    private List<String> revisions() throws Exception {
        List<String> docs = new ArrayList<>();
        for (int i = 0; i < races; i++) {
            docs.add("{\"_id\":\"job" + i + "\"}");
        }
        List<String> revs = new ArrayList<>();
        for (JsonNode row : Json.parse(send(0, "POST", "/_bulk_docs", "{\"docs\":[" + String.join(",", docs) + "]}")
                .body())) {
            revs.add(row.path("rev").asText());
        }
        return revs;
    }

    Proportions run(String how, int... claimersAt) throws Exception {
        send(0, "PUT", "", "");
        List<String> revs = revisions();
        CyclicBarrier start = new CyclicBarrier(claimersAt.length);
        ExecutorService claimers = Executors.newFixedThreadPool(claimersAt.length);
        List<Future<List<Integer>>> answers = new ArrayList<>();
        try {
            for (int node : claimersAt) {
                answers.add(claimers.submit(() -> claim(node, revs, start)));
            }
            return proportions(how, answers);
        } finally {
            claimers.shutdownNow();
            send(0, "DELETE", "", "");
        }
    }

    private List<Integer> claim(int node, List<String> revs, CyclicBarrier start) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < revs.size(); i++) {
            String body = "{\"_rev\":\"" + revs.get(i) + "\",\"token\":\"" + UUID.randomUUID() + "\"}";
            start.await();
            statuses.add(send(node, "PUT", "/job" + i, body).statusCode());
        }
        return statuses;
    }

    private Proportions proportions(String how, List<Future<List<Integer>>> answers) throws Exception {
        Proportions proportions = new Proportions(title + ", " + how);
        for (int i = 0; i < races; i++) {
            List<Integer> race = new ArrayList<>();
            for (Future<List<Integer>> claimer : answers) {
                race.add(claimer.get().get(i));
            }
            proportions.add(race);
        }
        System.out.println(proportions);
        return proportions;
    }
}
