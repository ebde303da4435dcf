package io.couchjobs.engine.alarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How listeners, webhooks and commands are told an alarm, and what becomes of it when that fails. */
@ServerTest
@Timeout(120)
class AlarmTargetsTest extends AlarmedQueue {
    private final List<HttpServer> hooks = new ArrayList<>();

    @AfterEach
    void stop() {
        hooks.forEach(server -> server.stop(0));
    }

    @Test
    void a_listener_that_fails_is_told_again_and_keeps_no_other_from_hearing() throws Exception {
        List<String> heard = new ArrayList<>();
        QueueAlarms alarms = alarms().conflicts(0).looks(1).tell(alarm -> {
            heard.add(alarm.rule());
            if (heard.size() == 1) {
                throw new IllegalStateException("not now");
            }
        });
        AlarmWatch watch = alarms.watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(heard).containsExactly("conflicts", "conflicts");
        assertThat(told).hasSize(1);
    }

    @Test
    void a_webhook_gets_json_and_gets_it_again_when_it_answered_an_error() throws Exception {
        Queue<byte[]> bodies = new ConcurrentLinkedQueue<>();
        URI url = hook(exchange -> {
            bodies.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(bodies.size() == 1 ? 503 : 204, -1);
            exchange.close();
        });
        AlarmWatch watch = alarms().conflicts(0).looks(1).webhook(url).watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(bodies).hasSize(2);
        JsonNode json = new ObjectMapper().readTree(bodies.remove());
        assertThat(json).isEqualTo(new ObjectMapper().readTree(bodies.remove()));
        assertThat(json.path("alarm").asText()).isEqualTo("conflicts");
        assertThat(json.path("raised").asBoolean()).isTrue();
        assertThat(json.path("text").asText())
                .isEqualTo("couchjobs " + queue.database().name() + ": conflicts: 1 documents have conflicts: job:a:1");
    }

    @Test
    void a_webhook_that_answers_with_another_place_was_not_told() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        URI url = hook(exchange -> {
            boolean isAlarm = exchange.getRequestURI().getPath().equals("/alarm");
            asked.addAndGet(isAlarm ? 1 : 0);
            exchange.getResponseHeaders().add("Location", "/login");
            exchange.sendResponseHeaders(isAlarm ? 302 : 200, -1);
            exchange.close();
        });
        AlarmWatch watch = alarms().conflicts(0).looks(1).webhook(url).watch();
        conflicts.add("job:a:1");

        look(watch, 3);

        assertThat(asked).hasValue(3);
        assertThat(raisedInDocument().path("told").asBoolean(true)).isFalse();
    }

    /** A web server that ends with the test. */
    private URI hook(HttpHandler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", handler);
        server.start();
        hooks.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/alarm");
    }

    @Test
    void a_listener_that_ends_by_an_error_does_not_keep_others_from_being_told() throws Exception {
        AtomicInteger failed = new AtomicInteger();
        QueueAlarms alarms = new QueueAlarms(history.parts(), facts(), new OpenAlarms()).tell(alarm -> {
            failed.incrementAndGet();
            throw new AssertionError("a bug");
        });
        AlarmWatch watch = alarms.tell(told::add).conflicts(0).looks(1).watch();
        conflicts.add("job:a:1");

        look(watch, 2);

        assertThat(told).hasSize(1);
        assertThat(failed).hasValue(2);
    }

    @Test
    void a_command_that_is_broken_off_ends_with_all_that_it_started(@TempDir Path folder) throws Exception {
        Path pid = folder.resolve("pid");
        AlarmWatch watch = alarms().conflicts(0)
                .looks(1)
                .command(List.of(
                        "sh",
                        "-c",
                        "sleep 300 & echo $! > '" + pid + ".new'; mv '" + pid + ".new' '" + pid + "'; wait"))
                .watch();
        conflicts.add("job:a:1");
        FutureTask<Void> looking = new FutureTask<>(() -> {
            look(watch, 1);
            return null;
        });
        Thread thread = new Thread(looking);
        thread.start();
        TestQueue.until(() -> Files.exists(pid));
        ProcessHandle child =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();

        thread.interrupt();

        child.onExit().get(TestQueue.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThatThrownBy(looking::get).hasCauseInstanceOf(InterruptedException.class);
    }

    @Test
    void a_command_gets_json_and_variables(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("alarm");
        List<String> command =
                List.of("sh", "-c", "echo $COUCHJOBS_ALARM $COUCHJOBS_RAISED > '" + file + "'; cat >> '" + file + "'");
        AlarmWatch watch = alarms().conflicts(0).looks(1).command(command).watch();
        conflicts.add("job:a:1");

        look(watch, 1);

        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).isEqualTo("conflicts true");
        assertThat(new ObjectMapper().readTree(lines.get(1)).path("finding").asText())
                .isEqualTo("1 documents have conflicts: job:a:1");
    }
}
