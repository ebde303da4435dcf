package io.couchjobs.engine.trigger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.Trigger;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The news of the databases that fit a pattern, from a server that answers as a test says. */
class DatabasesTest {
    private static final String UPDATES = "/_db_updates";
    private static final String INFOS = "/_dbs_info";
    private static final String INFO = "{'update_seq':'7','instance_start_time':'1'}";

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
    private final Set<String> followed = new HashSet<>();
    private final Databases databases = new Databases(
            server,
            Trigger.named("t").source("order*").type("mail").build(),
            name -> name.startsWith("order"),
            followed::contains,
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

    @ParameterizedTest
    @ValueSource(ints = {401, 429})
    void a_server_that_refuses_to_tell_news_for_a_moment_is_asked_for_them_again(int status) throws Exception {
        answers.put(UPDATES, answer(status, "{'error':'refused'}"));
        assertThatThrownBy(databases::news)
                .isInstanceOfSatisfying(CouchException.class, refusal -> assertThat(refusal.status())
                        .isEqualTo(status));
        tells("{'db_name':'order1'}");
        assertThat(databases.news()).containsExactly("order1");
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 429})
    void databases_are_not_described_one_by_one_because_the_server_refuses_a_request_for_a_moment(int status) {
        answers.put(INFOS, answer(status, "{'error':'refused'}"));
        assertThatThrownBy(() -> Databases.infos(server, List.of("order1")))
                .isInstanceOfSatisfying(CouchException.class, refusal -> assertThat(refusal.status())
                        .isEqualTo(status));
        assertThat(asked("/order1")).isEmpty();
    }

    @Test
    void databases_are_described_one_by_one_where_the_server_cannot_describe_several() {
        answers.put(INFOS, answer(405, "{'error':'method_not_allowed'}"));
        answers.put("/order1", answer(200, INFO));
        assertThat(Databases.infos(server, List.of("order1", "order2"))).containsOnlyKeys("order1");
    }

    @Test
    void an_account_that_may_not_read_the_news_of_all_databases_asks_for_their_positions() throws Exception {
        answers.put(UPDATES, answer(401, "{'error':'unauthorized','reason':'You are not a server admin.'}"));
        answers.put("/_all_dbs", answer(200, "['order1']"));
        answers.put(INFOS, answer(200, "[{'key':'order1','info':" + INFO + "}]"));
        assertThat(databases.news()).containsExactly("order1");
    }

    @Test
    void a_database_that_is_followed_is_news_only_when_it_has_changed_and_one_that_is_not_followed_always()
            throws Exception {
        describes("7");
        assertThat(databases.news()).containsExactlyInAnyOrder("order1", "order2");
        followed.add("order1");
        describes("7");
        assertThat(databases.news()).containsExactly("order2");
        describes("8");
        assertThat(databases.news()).containsExactlyInAnyOrder("order1", "order2");
    }

    private void describes(String seq) {
        String info = INFO.replace("7", seq);
        answers.put("/_all_dbs", answer(200, "['order1','order2']"));
        answers.put(INFOS, answer(200, "[{'key':'order1','info':" + info + "},{'key':'order2','info':" + info + "}]"));
    }
}
