package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pages are told while a server builds an index, and answers no question to it before. */
@Timeout(60)
class IndexBeingBuiltTest {
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch built = new CountDownLatch(1);
    private EmbeddedCouch couch;
    private HttpServer front;
    private JobQueue queue;
    private Dashboard dashboard;
    private Browser browser;

    @BeforeEach
    void start() throws IOException {
        couch = EmbeddedCouch.inMemory().start();
        try (JobQueue direct =
                JobQueue.builder(couch.url() + "jobs").renewLeases(false).open()) {
            direct.add(JobRequest.of("email", Map.of()));
        }
        front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        front.setExecutor(threads);
        front.createContext("/", this::serve);
        front.start();
        queue = JobQueue.builder("http://127.0.0.1:" + front.getAddress().getPort() + "/jobs")
                .renewLeases(false)
                .open();
        dashboard = Dashboard.of(queue).api().listen("127.0.0.1", 0);
        browser = new Browser(dashboard.url());
    }

    @AfterEach
    void stop() {
        built.countDown();
        dashboard.close();
        queue.close();
        front.stop(0);
        threads.shutdownNow();
        couch.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "jobs", "problems"})
    void the_pages_say_that_the_index_is_being_built_and_come_when_it_is_done(String page) throws Exception {
        HttpResponse<String> early = browser.get("api/" + page);
        assertThat(early.statusCode()).isEqualTo(503);
        assertThat(early.body()).containsPattern("building the index lists-[0-9a-f]{8} of jobs: 43 %");
        built.countDown();
        assertThat(browser.json(page).isObject()).isTrue();
    }

    @Test
    void health_says_to_programs_that_the_index_is_being_built() throws Exception {
        Program program = new Program(dashboard.url());
        Program.Answer early = program.get("/health");
        assertThat(early.status()).isEqualTo(503);
        assertThat(early.json().path("status").asText()).isEqualTo("problem");
        assertThat(early.json().at("/problems/0/name").asText()).isEqualTo("indexes");
        assertThat(early.json().at("/problems/0/finding").asText())
                .containsPattern("building the index lists-[0-9a-f]{8} of jobs: 43 %");
    }

    private void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        if (path.contains("/_design/lists-") && path.contains("/_view/")) {
            awaitBuilt();
            forward(exchange);
        } else if (path.contains("/_design/") && path.endsWith("/_info")) {
            boolean updating = path.contains("/lists-") && built.getCount() > 0;
            answer(exchange, 200, "{\"view_index\":{\"updater_running\":" + updating + "}}");
        } else if (path.equals("/_active_tasks")) {
            answer(exchange, 200, "[" + task() + "]");
        } else {
            forward(exchange);
        }
    }

    private void awaitBuilt() {
        try {
            built.await();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static String task() {
        return "{\"type\":\"indexer\",\"database\":\"shards/00000000-ffffffff/jobs.1764000000\",\"design_document\":\"_design/"
                + DesignDocument.LISTS.versionedName()
                + "\",\"changes_done\":43,\"total_changes\":100}";
    }

    private void forward(HttpExchange exchange) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(
                        couch.url().resolve(exchange.getRequestURI().toString()))
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()))
                .header("Content-Type", "application/json")
                .build();
        try {
            HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
            answer(exchange, answer.statusCode(), answer.body());
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, isHead || bytes.length == 0 ? -1 : bytes.length);
        if (!isHead) {
            exchange.getResponseBody().write(bytes);
        }
        exchange.close();
    }
}
