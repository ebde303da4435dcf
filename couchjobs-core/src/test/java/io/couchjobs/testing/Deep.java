package io.couchjobs.testing;

import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collections;
import java.util.List;

/** Values and documents with many levels, and the way past the library, which does not write such documents. */
public final class Deep {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private Deep() {}

    /** The JSON text of arrays in each other. */
    public static String json(int levels) {
        return "[".repeat(levels) + "]".repeat(levels);
    }

    /** A document whose field has so many levels that it has as many as that itself. */
    public static String document(String field, int levels) {
        return "{\"" + field + "\":{\"x\":" + json(levels - 2) + "}}";
    }

    /** Lists in each other. */
    public static Object list(int levels) {
        Object list = List.of();
        for (int i = 1; i < levels; i++) {
            list = Collections.singletonList(list);
        }
        return list;
    }

    /** What the server answers to such a document. */
    public static HttpResponse<String> put(TestDatabase database, String id, String json)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(database.url() + "/" + id))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(json));
        database.user().ifPresent(user -> {
            String credentials = user + ":" + database.password().orElse("");
            String basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
            request.header("Authorization", "Basic " + basic);
        });
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
