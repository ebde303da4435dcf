package io.couchjobs.embedded.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Sends the requests of the extension itself, with classes of the JDK's base module only. */
final class Requests {
    private static final int PATIENCE_MILLIS = 30_000;

    private Requests() {}

    /** Sends a request without a body, and returns the answer. Throws an exception unless the request succeeds. */
    static String send(TestServer server, String method, String path) {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) server.url().resolve(path).toURL().openConnection();
            connection.setRequestMethod(method);
            connection.setConnectTimeout(PATIENCE_MILLIS);
            connection.setReadTimeout(PATIENCE_MILLIS);
            server.user().ifPresent(user -> connection.setRequestProperty("Authorization", basic(server, user)));
            int status = connection.getResponseCode();
            if (status >= 300) {
                throw new IllegalStateException(method + " /" + path + " on " + server + " was answered " + status);
            }
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(method + " /" + path + " on " + server + " failed", e);
        }
    }

    private static String basic(TestServer server, String user) {
        String pair = user + ":" + server.password().orElse("");
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }
}
