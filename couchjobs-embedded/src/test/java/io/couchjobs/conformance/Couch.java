package io.couchjobs.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A server, spoken to in plain HTTP. Paths are sent as given: escape ids with {@link #escape}. */
final class Couch {
    private static final Duration PATIENCE = Duration.ofSeconds(25);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final URI server;
    private final Optional<String> credentials;

    /** @param url {@code http://user:password@host:port} */
    Couch(URI url) {
        this(withoutPath(url), Optional.ofNullable(url.getUserInfo()));
    }

    private Couch(URI server, Optional<String> credentials) {
        this.server = server;
        this.credentials = credentials;
    }

    private static URI withoutPath(URI url) {
        return URI.create("http://" + url.getHost() + ":" + url.getPort());
    }

    Couch anonymous() {
        return new Couch(server, Optional.empty());
    }

    Couch as(String user, String password) {
        return new Couch(server, Optional.of(user + ":" + password));
    }

    String user() {
        return credentials.orElseThrow().split(":", 2)[0];
    }

    String password() {
        return credentials.orElseThrow().split(":", 2)[1];
    }

    /**
     * A new, empty database with a name that no other has. On a cluster, too, it has one copy of each document: what follows
     * from copies that differ for a moment is not the subject.
     */
    Db newDatabase() {
        String name = "conformance-" + UUID.randomUUID();
        put("/" + name + "?n=1").expect(201, 202);
        return new Db(this, name);
    }

    /** The head of the answer to a client that sends no more on its connection; the root asks for no credentials. */
    String headForOneRequest() throws IOException {
        try (Socket socket = new Socket(server.getHost(), server.getPort())) {
            String request = "GET / HTTP/1.1\r\nHost: " + server.getAuthority() + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.substring(0, answer.indexOf("\r\n\r\n"));
        }
    }

    static String escape(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** A query string of name and value pairs, escaped. */
    static String query(String... pairs) {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < pairs.length; i += 2) {
            query.append(i == 0 ? '?' : '&').append(pairs[i]).append('=').append(escape(pairs[i + 1]));
        }
        return query.toString();
    }

    Reply get(String path, String... headers) {
        return send("GET", path, headers);
    }

    Reply put(String path) {
        return send("PUT", path);
    }

    Reply put(String path, JsonNode body, String... headers) {
        return send(request("PUT", path, json(body), headers).header("Content-Type", "application/json"));
    }

    Reply post(String path, JsonNode body, String... headers) {
        return send(request("POST", path, json(body), headers).header("Content-Type", "application/json"));
    }

    Reply delete(String path, String... headers) {
        return send("DELETE", path, headers);
    }

    Reply send(String method, String path, String... headers) {
        return send(request(method, path, BodyPublishers.noBody(), headers));
    }

    /** Sends bytes as they are, which need not be JSON. */
    Reply sendRaw(String method, String path, byte[] body, String... headers) {
        return send(request(method, path, BodyPublishers.ofByteArray(body), headers));
    }

    Reply send(HttpRequest.Builder request) {
        return sendLater(request).join();
    }

    CompletableFuture<Reply> getLater(String path) {
        return sendLater(request("GET", path, BodyPublishers.noBody()));
    }

    /** The limit is for the whole answer: that of the request ends with the headers. */
    private static CompletableFuture<Reply> sendLater(HttpRequest.Builder request) {
        return HTTP.sendAsync(request.build(), BodyHandlers.ofByteArray())
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .thenApply(Reply::new);
    }

    /** Runs requests at the same time as those of the test. */
    <T> CompletableFuture<T> later(Supplier<T> requests) {
        return CompletableFuture.supplyAsync(requests, task -> new Thread(task, "later").start());
    }

    /** Opens an answer that does not end, to be read line by line. */
    Feed feed(String path, String... headers) {
        try {
            return new Feed(HTTP.send(
                    request("GET", path, BodyPublishers.noBody(), headers).build(), BodyHandlers.ofInputStream()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HttpRequest.Builder request(String method, String path, BodyPublisher body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .timeout(PATIENCE)
                .method(method, body);
        credentials.ifPresent(plain -> request.header("Authorization", "Basic " + base64(plain)));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return request;
    }

    private static String base64(String plain) {
        return Base64.getEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    static BodyPublisher json(JsonNode body) {
        return BodyPublishers.ofString(body.toString());
    }
}
