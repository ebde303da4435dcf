package io.couchjobs.embedded;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** Sends requests to one server. */
final class Client {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI server;

    Client(URI server) {
        this.server = server;
    }

    HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return send(method, path, "");
    }

    HttpResponse<String> send(String method, String path, String body) throws IOException, InterruptedException {
        return http.send(request(method, path, body), BodyHandlers.ofString());
    }

    CompletableFuture<Integer> sendLater(String method, String path, String body) {
        return http.sendAsync(request(method, path, body), BodyHandlers.ofString())
                .thenApply(HttpResponse::statusCode);
    }

    CompletableFuture<String> read(String path) {
        return http.sendAsync(request("GET", path, ""), BodyHandlers.ofString()).thenApply(HttpResponse::body);
    }

    private HttpRequest request(String method, String path, String body) {
        return HttpRequest.newBuilder(server.resolve(path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
    }
}
