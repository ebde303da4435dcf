package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.index.DesignDocument;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands at a server that gives up each question for a while, as CouchDB does while it builds an index. */
@Timeout(60)
class IndexWaitTest {
    private static final String GIVEN_UP =
            "{\"error\":\"timeout\",\"reason\":\"The request could not be processed in a reasonable amount of time.\"}";

    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger givenUp = new AtomicInteger(Integer.MAX_VALUE);
    private EmbeddedCouch couch;
    private HttpServer front;
    private TestShell shell;
    private String url;

    @BeforeEach
    void start() throws IOException {
        couch = EmbeddedCouch.inMemory().start();
        TestShell direct = new TestShell().with("COUCHJOBS_URL", couch.url() + "jobs");
        direct.run("init");
        direct.run("enqueue", "email", "1");
        front = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        front.setExecutor(threads);
        front.createContext("/", this::serve);
        front.start();
        url = "http://127.0.0.1:" + front.getAddress().getPort() + "/jobs";
        shell = new TestShell().with("COUCHJOBS_URL", url);
    }

    @AfterEach
    void stop() {
        front.stop(0);
        threads.shutdownNow();
        couch.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"counts", "list"})
    void a_command_waits_for_the_index_and_says_how_far_it_is(String command) {
        givenUp.set(4);

        TestShell.Said said = shell.run(command);

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out()).contains("email");
        assertThat(said.err()).containsPattern("building the index lists-[0-9a-f]{8} of jobs: 43 %");
    }

    @Test
    void it_does_not_wait_for_ever() {
        StringWriter err = new StringWriter();
        try (JobQueue queue = JobQueue.builder(url).renewLeases(false).open()) {
            ProgressLine line = new ProgressLine(new PrintWriter(err), ProgressLine.Mode.LINES, System::nanoTime);
            IndexWait wait = new IndexWait(queue, line, Duration.ofSeconds(1));

            assertThatThrownBy(() -> wait.ask(queue.types()::counts))
                    .hasMessageContaining("still building the index lists-")
                    .hasMessageContaining("ask again later")
                    .satisfies(over -> assertThat(ExitCode.of(over)).isEqualTo(ExitCode.TIMED_OUT));
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        if (path.contains("/_design/lists-") && path.contains("/_view/") && givenUp.getAndDecrement() > 0) {
            answer(exchange, 500, GIVEN_UP);
        } else if (path.contains("/_design/lists-") && path.endsWith("/_info")) {
            answer(exchange, 200, "{\"view_index\":{\"updater_running\":true}}");
        } else if (path.contains("/_design/") && path.endsWith("/_info")) {
            answer(exchange, 200, "{\"view_index\":{\"updater_running\":false}}");
        } else if (path.equals("/_active_tasks")) {
            answer(exchange, 200, "[" + task() + "]");
        } else {
            forward(exchange);
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
