package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.Trigger;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** The news of the databases that fit a pattern, from a server that answers as a test says. */
class DatabasesTest {
    private static final String UPDATES = "/_db_updates";

    private final List<InProcess.Request> requests = new CopyOnWriteArrayList<>();
    private final Map<String, InProcess.Response> answers = new ConcurrentHashMap<>();
    private final Semaphore listening = new Semaphore(1);
    private final CouchServer server = InProcess.connect(
            CouchConfig.builder(URI.create("http://server.test/")).build(),
            request -> {
                requests.add(request);
                return answers.getOrDefault(request.uri().getPath(), answer(404, "{'error':'not_found'}"));
            },
            pause -> {},
            System::nanoTime);
    private final Databases databases = new Databases(
            server,
            Trigger.named("t").source("order*").type("mail").build(),
            name -> name.startsWith("order"),
            Environment.REAL,
            listening);

    private static InProcess.Response answer(int status, String body) {
        byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        Map<String, List<String>> headers =
                Map.of("Content-Type", List.of("application/json"), "Retry-After", List.of("3600"));
        return new InProcess.Response(status, headers, new ByteArrayInputStream(json));
    }

    private void tells(String news) {
        answers.put(UPDATES, answer(200, "{'results':[" + news + "],'last_seq':'2'}"));
    }

    private List<InProcess.Request> asked(String path) {
        return requests.stream()
                .filter(request -> request.uri().getPath().equals(path))
                .toList();
    }

    @Test
    void the_wait_for_news_takes_no_connection_from_the_requests() throws Exception {
        tells("{'db_name':'order1'}");
        assertThat(databases.news()).containsExactly("order1");
        assertThat(asked(UPDATES)).singleElement().satisfies(request -> {
            assertThat(request.forFeed()).isTrue();
            assertThat(request.uri().getQuery()).contains("timeout=30000");
        });
        assertThat(listening.availablePermits()).isEqualTo(1);
    }

    @Test
    void where_all_connections_to_listen_on_are_taken_it_asks_for_news_without_waiting_for_them() throws Exception {
        listening.acquire();
        tells("{'db_name':'order1'}");
        assertThat(databases.news()).containsExactly("order1");
        assertThat(asked(UPDATES))
                .singleElement()
                .satisfies(request -> assertThat(request.uri().getQuery()).endsWith("timeout=1"));
        assertThat(listening.availablePermits()).isZero();
    }
}
