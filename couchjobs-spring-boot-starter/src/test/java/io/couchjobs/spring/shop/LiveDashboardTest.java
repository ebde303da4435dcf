package io.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The dashboard's live events in a servlet container, which has few threads and closes them in an order of its own. */
@Timeout(120)
class LiveDashboardTest {
    private static final String TOKEN = "a-token";
    private static final String READ_ONLY = "look";
    private static final int THREADS = 2;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<BufferedReader> pages = new ArrayList<>();
    private EmbeddedCouch couch;
    private ConfigurableApplicationContext shop;

    @BeforeEach
    void start() {
        couch = EmbeddedCouch.inMemory().start();
        shop = SpringApplication.run(
                ShopApplication.class,
                "--server.port=0",
                "--server.tomcat.threads.max=" + THREADS,
                "--server.tomcat.threads.min-spare=1",
                "--server.shutdown=graceful",
                "--spring.lifecycle.timeout-per-shutdown-phase=1h",
                "--couchjobs.url=" + couch.url() + "shop",
                "--couchjobs.worker.concurrency=2",
                "--couchjobs.dashboard.token=" + TOKEN,
                "--couchjobs.dashboard.read-only-token=" + READ_ONLY,
                "--couchjobs.dashboard.actions=true",
                "--couchjobs.dashboard.api=true",
                "--spring.main.banner-mode=off",
                "--spring.jmx.enabled=false");
    }

    @AfterEach
    void stop() throws IOException {
        shop.close();
        for (BufferedReader page : pages) {
            page.close();
        }
        couch.close();
    }

    @Test
    void an_event_is_told_at_once_also_to_more_pages_than_the_container_has_threads() throws Exception {
        List<BufferedReader> open = new ArrayList<>();
        for (int i = 0; i < THREADS + 3; i++) {
            open.add(listen());
        }
        for (BufferedReader page : open) {
            await(page, "event: tick");
        }
        String id = shop.getBean(ShopApplication.SignUp.class)
                .register("ada@example.org")
                .id();
        for (BufferedReader page : open) {
            await(page, id);
        }
        assertThat(http.send(request("types"), BodyHandlers.ofString()).body()).contains("email");
    }

    @Test
    void an_application_that_stops_gracefully_does_not_wait_for_who_looks() throws Exception {
        BufferedReader page = listen();
        await(page, "event: tick");
        shop.close();
        assertThat(shop.isActive()).isFalse();
        try {
            while (page.readLine() != null) {}
        } catch (IOException cut) {
            // that is an end too
        }
    }

    @Test
    void an_application_that_is_stopped_and_started_again_shows_it_again() throws Exception {
        shop.stop();
        shop.start();
        await(listen(), "event: tick");
    }

    @Test
    void programs_are_served_and_one_with_the_token_for_reading_changes_nothing() throws Exception {
        assertThat(http.send(asked("v1/jobs/email/nobody", TOKEN).GET().build(), BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(404);
        assertThat(paused(TOKEN).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = paused(READ_ONLY);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("this token may only read");
        assertThat(http.send(asked("v1/types/email", READ_ONLY).GET().build(), BodyHandlers.ofString())
                        .body())
                .contains("\"paused\":true");
    }

    private HttpResponse<String> paused(String token) throws IOException, InterruptedException {
        return http.send(
                asked("v1/types/email/pause", token)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());
    }

    private HttpRequest.Builder asked(String path, String token) {
        return HttpRequest.newBuilder(uri(path)).header("Authorization", "Bearer " + token);
    }

    @Test
    void a_client_without_a_token_cannot_listen() throws Exception {
        HttpRequest nobody = HttpRequest.newBuilder(uri("events")).build();
        assertThat(http.send(nobody, BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    }

    private BufferedReader listen() throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = http.send(request("events"), BodyHandlers.ofInputStream());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        BufferedReader page = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        pages.add(page);
        return page;
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(uri(path))
                .header("Authorization", "Bearer " + TOKEN)
                .build();
    }

    private URI uri(String path) {
        String port = shop.getEnvironment().getProperty("local.server.port");
        return URI.create("http://127.0.0.1:" + port + "/actuator/couchjobs/api/" + path);
    }

    private static void await(BufferedReader page, String text) throws IOException {
        for (String line = page.readLine(); line != null; line = page.readLine()) {
            if (line.contains(text)) {
                return;
            }
        }
        throw new AssertionError("the stream ended without " + text);
    }
}
