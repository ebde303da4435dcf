package io.couchjobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A browser asks this before it lets a page of another origin use a server. */
class CorsTest {
    private static final String ORIGIN = "http://localhost:3000";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Test
    void a_page_of_the_named_origin_may_read_and_write() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().cors(ORIGIN).start()) {
            HttpResponse<String> preflight = send(couch, "OPTIONS", ORIGIN);

            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(header(preflight, "Access-Control-Allow-Methods"))
                    .hasValueSatisfying(allowed -> assertThat(allowed).contains("PUT", "DELETE"));
            assertThat(header(preflight, "Access-Control-Allow-Headers")).contains("content-type");
            for (String method : new String[] {"GET", "PUT"}) {
                HttpResponse<String> answer = send(couch, method, ORIGIN);
                assertThat(header(answer, "Access-Control-Allow-Origin")).contains(ORIGIN);
                assertThat(header(answer, "Access-Control-Allow-Credentials")).contains("true");
            }
        }
    }

    @Test
    void a_page_of_another_origin_may_not() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().cors(ORIGIN).start()) {
            assertThat(header(send(couch, "OPTIONS", "http://evil.test"), "Access-Control-Allow-Origin"))
                    .isEmpty();
            assertThat(header(send(couch, "GET", "http://evil.test"), "Access-Control-Allow-Origin"))
                    .isEmpty();
        }
    }

    @Test
    void by_default_no_page_may() throws Exception {
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start()) {
            assertThat(header(send(couch, "GET", ORIGIN), "Access-Control-Allow-Origin"))
                    .isEmpty();
        }
    }

    private static HttpResponse<String> send(EmbeddedCouch couch, String method, String origin)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(couch.url().resolve("db"))
                .header("Origin", origin)
                .method(method, BodyPublishers.noBody());
        if (method.equals("OPTIONS")) {
            request.header("Access-Control-Request-Method", "PUT")
                    .header("Access-Control-Request-Headers", "content-type");
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    private static Optional<String> header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name);
    }
}
