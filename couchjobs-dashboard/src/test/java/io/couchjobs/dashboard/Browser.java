package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/** Asks a dashboard as its own pages do, or otherwise. */
final class Browser {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final URI url;

    Browser(URI url) {
        this.url = url;
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return HTTP.send(request(path, headers).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> head(String path) throws IOException, InterruptedException {
        return HTTP.send(
                request(path)
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    JsonNode json(String path) throws IOException, InterruptedException {
        HttpResponse<String> answer = get("api/" + path);
        if (answer.statusCode() != 200) {
            throw new AssertionError(path + ": " + answer.statusCode() + " " + answer.body());
        }
        return new JsonMapper().readTree(answer.body());
    }

    /** A change, with what the pages send. */
    HttpResponse<String> post(String path, Object body) throws IOException, InterruptedException {
        return post(path, body, Guard.HEADER, "1", "Content-Type", "application/json");
    }

    HttpResponse<String> post(String path, Object body, String... headers) throws IOException, InterruptedException {
        return postRaw(path, new JsonMapper().writeValueAsBytes(body), headers);
    }

    /** A change, whatever its body is. */
    HttpResponse<String> postRaw(String path, byte[] body, String... headers) throws IOException, InterruptedException {
        return HTTP.send(
                request("api/" + path, headers)
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                BodyHandlers.ofString());
    }

    /** Opens the stream of events. */
    InputStream events(String query) throws IOException, InterruptedException {
        return HTTP.send(request("api/events" + query).build(), BodyHandlers.ofInputStream())
                .body();
    }

    /** Sends headers that Java's client would not, and returns the first line of the answer. */
    String raw(String method, Map<String, String> headers) throws IOException {
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            StringBuilder request = new StringBuilder(method + " " + url.getPath() + "api/overview HTTP/1.1\r\n");
            headers.forEach((name, value) ->
                    request.append(name).append(": ").append(value).append("\r\n"));
            request.append("Connection: close\r\n\r\n");
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.substring(0, answer.indexOf('\r'));
        }
    }

    private HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path)).timeout(PATIENCE);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }
}
