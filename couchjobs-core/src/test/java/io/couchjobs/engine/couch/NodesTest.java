package io.couchjobs.engine.couch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import java.io.ByteArrayInputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of several nodes a client asks, on nodes that are functions and on a clock of the test's own. */
class NodesTest {
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final String STORED = "{\"_id\":\"x\",\"ok\":true,\"id\":\"x\",\"rev\":\"1-x\",\"rows\":[]}";
    private static final String INDEXING = "{\"_id\":\"x\",\"view_index\":{\"updater_running\":true}}";

    private String feed = "";
    private final Map<String, Trouble> troubles = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final Queue<Runnable> probes = new ArrayDeque<>();
    private final List<CouchServer> clients = new ArrayList<>();
    private long nanos;

    /** What is wrong with a node. */
    private enum Trouble {
        REFUSES,
        CUTS,
        IS_SILENT,
        UNAVAILABLE,
        REACHES_NOBODY,
        REACHES_NO_SHARDS,
        IS_BUSY,
        DENIES,
        BUILDS_AN_INDEX,
        HAS_NO_TIME_FOR_VIEWS,
        LETS_NOBODY_IN
    }

    @AfterEach
    void close() {
        clients.forEach(CouchServer::close);
    }

    @Test
    void clients_choose_different_nodes_and_stay_there() {
        Map<String, Integer> homes = new TreeMap<>();
        for (int seed = 0; seed < 60; seed++) {
            CouchServer client = client(seed);
            read(client);
            read(client);
            assertThat(askedSince(0)).hasSize(2).containsOnly(asked.get(0));
            homes.merge(asked.get(0), 1, Integer::sum);
            asked.clear();
        }
        assertThat(homes).containsOnlyKeys(NAMES).allSatisfy((name, count) -> assertThat(count)
                .isBetween(10, 30));
    }

    @Test
    void a_read_goes_to_another_node_at_once_whatever_is_wrong_with_the_first() {
        for (Trouble trouble : List.of(
                Trouble.REFUSES, Trouble.CUTS, Trouble.IS_SILENT, Trouble.UNAVAILABLE, Trouble.REACHES_NOBODY)) {
            CouchServer client = client(1);
            String home = homeOf(client);
            troubles.put(home, trouble);
            read(client);
            read(client);
            assertThat(asked).as("%s", trouble).hasSize(3).startsWith(home);
            assertThat(asked.subList(1, 3)).doesNotContain(home).containsOnly(asked.get(1));
            troubles.clear();
            asked.clear();
        }
    }

    @Test
    void a_busy_node_and_one_that_refuses_the_credentials_are_not_left() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.DENIES);
        assertThat(failure(() -> read(client)).status()).isEqualTo(401);
        troubles.put(home, Trouble.IS_BUSY);
        assertThat(failure(() -> read(client)).status()).isEqualTo(429);
        assertThat(asked).containsOnly(home);
    }

    @Test
    void a_node_that_builds_an_index_stays_in_use_and_no_other_node_is_asked_to_build_it_too() {
        for (Trouble trouble : List.of(Trouble.BUILDS_AN_INDEX, Trouble.HAS_NO_TIME_FOR_VIEWS)) {
            CouchServer client = client(1);
            String home = homeOf(client);
            troubles.put(home, trouble);
            assertThat(failure(() -> view(client))).isInstanceOf(IndexBeingBuiltException.class);
            read(client);
            assertThat(asked).as("%s", trouble).containsOnly(home);
            assertThat(client.nodeSwitches()).isZero();
            troubles.clear();
            asked.clear();
        }
    }

    @Test
    void a_view_is_asked_elsewhere_when_its_node_takes_no_connection() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.LETS_NOBODY_IN);
        view(client);
        assertThat(asked).hasSize(2).startsWith(home).doesNotHaveDuplicates();
    }

    @Test
    void a_write_goes_elsewhere_only_when_nothing_of_it_was_sent() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.REFUSES);
        assertThat(write(client)).isInstanceOf(WriteResult.Stored.class);
        assertThat(asked).hasSize(2).startsWith(home);

        for (Trouble trouble : List.of(Trouble.CUTS, Trouble.IS_SILENT, Trouble.UNAVAILABLE)) {
            CouchServer other = client(1);
            asked.clear();
            troubles.put(home, trouble);
            assertThat(failure(() -> write(other)).outcomeUnknown()).isTrue();
            assertThat(asked).as("%s", trouble).containsExactly(home);
            assertThat(write(other)).isInstanceOf(WriteResult.Stored.class);
            assertThat(asked).as("the next write after %s", trouble).hasSize(2).doesNotHaveDuplicates();
        }
    }

    @Test
    void a_read_fails_when_all_nodes_do_and_each_was_asked() {
        CouchServer client = client(1);
        NAMES.forEach(name -> troubles.put(name, Trouble.IS_SILENT));
        assertThat(failure(() -> read(client))).isInstanceOf(CouchUnreachableException.class);
        assertThat(asked).containsExactlyInAnyOrderElementsOf(NAMES);

        troubles.clear();
        read(client);
    }

    @Test
    void a_node_that_failed_is_left_alone_then_probed_by_one_request_for_ever_longer_times() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.IS_SILENT);
        read(client);
        asked.clear();

        List<Duration> rests = new ArrayList<>();
        long since = nanos;
        while (rests.size() < 12) {
            nanos += Duration.ofMillis(10).toNanos();
            IntStream.range(0, 3).forEach(i -> read(client));
            assertThat(probes.size()).isLessThanOrEqualTo(1);
            if (!probes.isEmpty()) {
                rests.add(Duration.ofNanos(nanos - since));
                since = nanos;
                probes.remove().run();
            }
        }
        assertThat(asked.stream().filter(home::equals)).as("only the probes").hasSize(12);
        assertThat(rests.get(0)).isBetween(Duration.ofMillis(125), Duration.ofMillis(260));
        assertThat(rests.get(3)).isBetween(Duration.ofSeconds(1), Duration.ofMillis(2010));
        assertThat(rests.get(11)).isBetween(Duration.ofSeconds(15), Duration.ofMillis(30_010));
    }

    @Test
    void a_client_goes_home_when_its_node_answers_again_and_to_no_other_node() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.REFUSES);
        read(client);
        String refuge = asked.get(1);
        troubles.put(refuge, Trouble.REFUSES);
        read(client);
        String third = NAMES.stream()
                .filter(name -> !Set.of(home, refuge).contains(name))
                .findFirst()
                .orElseThrow();
        assertThat(last()).isEqualTo(third);

        troubles.remove(refuge);
        recover(client);
        assertThat(last()).isEqualTo(third);
        troubles.clear();
        recover(client);
        assertThat(last()).isEqualTo(home);
    }

    @Test
    void a_node_that_answers_probes_and_nothing_else_is_tried_ever_more_seldom() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.REACHES_NOBODY); // but _up is well
        for (int second = 0; second < 30; second++) {
            recover(client);
        }
        assertThat(asked.stream().filter(home::equals).count())
                .isLessThan(90); // 500 if it rested equally long each time
    }

    @Test
    void when_a_node_dies_its_clients_spread_and_when_it_is_back_only_they_return_one_after_the_other() {
        Map<CouchServer, String> homes = new HashMap<>();
        for (int seed = 0; seed < 30; seed++) {
            CouchServer client = client(seed);
            homes.put(client, homeOf(client));
        }
        troubles.put("a", Trouble.REFUSES);
        Map<String, Integer> refuges = new TreeMap<>();
        homes.forEach((client, home) -> {
            read(client);
            if (home.equals("a")) {
                refuges.merge(last(), 1, Integer::sum);
            }
        });
        assertThat(refuges).containsOnlyKeys("b", "c").allSatisfy((name, count) -> assertThat(count)
                .isGreaterThan(1));

        passWithoutRecovery(Duration.ofMinutes(1), homes.keySet());
        troubles.clear();
        Set<Integer> steps = new HashSet<>();
        for (int step = 0; step < 100; step++) {
            asked.clear();
            nanos += Duration.ofMillis(300).toNanos();
            homes.keySet().forEach(NodesTest::read);
            int probing = probes.size();
            drainProbes();
            if (probing > 0) {
                assertThat(probing).as("probes at one moment").isLessThan(6);
                steps.add(step);
            }
        }
        assertThat(steps).as("moments at which somebody returned").hasSizeGreaterThan(4);
        homes.forEach((client, home) -> {
            read(client);
            assertThat(last()).isEqualTo(home);
        });
    }

    @Test
    void a_feed_that_is_given_up_is_opened_on_another_node() {
        CouchServer client = client(1);
        String home = homeOf(client);
        CouchDatabase jobs = client.database("jobs");
        jobs.changes(ChangesRequest.continuous()).abandon();
        asked.clear();
        jobs.changes(ChangesRequest.continuous()).close();
        assertThat(asked).hasSize(1).doesNotContain(home);
    }

    @Test
    void a_feed_is_opened_on_another_node_when_the_first_one_does_not_reach_the_others() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.REACHES_NO_SHARDS);
        client.database("jobs").changes(ChangesRequest.continuous()).close();
        assertThat(asked).hasSize(2).startsWith(home).doesNotHaveDuplicates();
    }

    @Test
    void a_feed_that_is_refused_for_another_reason_is_not_asked_for_elsewhere() {
        CouchServer client = client(1);
        String home = homeOf(client);
        troubles.put(home, Trouble.DENIES);
        assertThat(failure(() -> client.database("jobs").changes(ChangesRequest.continuous()))
                        .status())
                .isEqualTo(401);
        assertThat(asked).containsExactly(home);
    }

    @Test
    void a_row_that_cannot_be_read_is_not_the_nodes_fault() {
        for (String value : List.of("\"" + "x".repeat(17 << 20) + "\"", "{\"twice\":1,\"twice\":2}")) {
            CouchServer client = client(1);
            assertThat(endOfFeed(client, "{\"seq\":\"1-x\",\"id\":\"a\",\"doc\":{\"x\":" + value + "}}\n"))
                    .hasMessageContaining("cannot be used");
            assertThat(client.nodeSwitches()).isZero();
        }
    }

    @Test
    void a_feed_that_the_server_breaks_off_goes_on_at_another_node() {
        for (String end :
                List.of("{\"error\":\"nodedown\",\"reason\":\"progress not possible\"}\n", "{\"seq\":\"1-x\",\"i")) {
            CouchServer client = client(1);
            assertThat(endOfFeed(client, end)).isInstanceOf(CouchException.class);
            assertThat(client.nodeSwitches()).as(end).isEqualTo(1);
        }
    }

    private CouchException endOfFeed(CouchServer client, String body) {
        feed = body;
        try (ChangesFeed changes = client.database("jobs").changes(ChangesRequest.continuous())) {
            return failure(() -> changes.next(Duration.ofMinutes(1)));
        }
    }

    @Test
    void the_nodes_urls_are_told_and_no_credentials() {
        CouchConfig config = CouchConfig.builder(URI.create("http://me:secret@a:1"))
                .node(URI.create("http://me:other@b:2/couch/"))
                .node(URI.create("http://me:secret@a:1/"))
                .build();
        assertThat(config.urls()).containsExactly(URI.create("http://a:1"), URI.create("http://b:2/couch"));
        assertThat(config.toString()).contains("a:1", "b:2").doesNotContain("secret", "other");
        assertThat(config.responseTimeout()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void credentials_in_some_urls_only_are_a_mistake() {
        CouchConfig.Builder config =
                CouchConfig.builder(URI.create("http://me:secret@a:1")).node(URI.create("http://b:2"));
        assertThat(catchThrowableOfType(IllegalArgumentException.class, config::build))
                .hasMessageContaining("some of the servers' URLs have credentials and others have none");
    }

    @Test
    void each_node_is_asked_with_its_own_credentials() {
        List<String> sent = new ArrayList<>();
        CouchConfig config = CouchConfig.builder(URI.create("http://me:one@a:1"))
                .node(URI.create("http://me:two@b:1"))
                .build();
        Set<String> down = new HashSet<>();
        CouchServer client = connect(config, 1, request -> {
            String host = request.uri().getHost();
            sent.add(host + " " + request.headers().get("Authorization"));
            return down.contains(host) ? Trouble.REFUSES : null;
        });
        read(client);
        down.add(sent.get(0).substring(0, 1));
        read(client);
        assertThat(sent)
                .contains(
                        "a " + "Basic "
                                + java.util.Base64.getEncoder()
                                        .encodeToString("me:one".getBytes(StandardCharsets.UTF_8)),
                        "b " + "Basic "
                                + java.util.Base64.getEncoder()
                                        .encodeToString("me:two".getBytes(StandardCharsets.UTF_8)));
    }

    private void recover(CouchServer client) {
        nanos += Duration.ofSeconds(1).toNanos();
        for (int i = 0; i < 60; i++) {
            nanos += Duration.ofMillis(100).toNanos();
            read(client);
            drainProbes();
        }
        read(client);
    }

    private void passWithoutRecovery(Duration time, Set<CouchServer> clients) {
        for (long passed = 0; passed < time.toMillis(); passed += 1000) {
            nanos += Duration.ofSeconds(1).toNanos();
            clients.forEach(NodesTest::read);
            drainProbes();
        }
    }

    private void drainProbes() {
        for (Runnable probe = probes.poll(); probe != null; probe = probes.poll()) {
            probe.run();
        }
    }

    private String homeOf(CouchServer client) {
        read(client);
        String home = last();
        asked.clear();
        return home;
    }

    private String last() {
        return asked.get(asked.size() - 1);
    }

    private List<String> askedSince(int index) {
        return asked.subList(index, asked.size());
    }

    private static void read(CouchServer client) {
        client.database("jobs").get("x");
    }

    private static void view(CouchServer client) {
        client.database("jobs").view(ViewQuery.of("lists", "status"));
    }

    private static WriteResult write(CouchServer client) {
        return client.database("jobs").put(Json.object().put("_id", "x"));
    }

    private static CouchException failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable action) {
        return catchThrowableOfType(CouchException.class, action);
    }

    private CouchServer client(long seed) {
        CouchConfig.Builder config = CouchConfig.builder(URI.create("http://a:1"));
        config.node(URI.create("http://b:1")).node(URI.create("http://c:1"));
        return connect(
                config.build(), seed, request -> troubles.get(request.uri().getHost()));
    }

    private CouchServer connect(CouchConfig config, long seed, Function<InProcess.Request, Trouble> trouble) {
        CouchServer client = InProcess.connect(
                config,
                request -> answer(request, trouble.apply(request)),
                pause -> {},
                () -> nanos,
                new Random(seed),
                this::background);
        clients.add(client);
        return client;
    }

    private void background(Runnable probe) {
        probes.add(probe);
    }

    private InProcess.Response answer(InProcess.Request request, Trouble trouble) throws InProcess.Broken {
        asked.add(request.uri().getHost());
        boolean isProbe = request.uri().getPath().equals("/_up");
        if (trouble == null || (isProbe && trouble == Trouble.REACHES_NOBODY)) {
            return response(isProbe ? 200 : 201, request.forFeed() ? feed : STORED);
        }
        boolean isView = request.uri().getPath().contains("/_view/");
        return switch (trouble) {
            case REFUSES -> throw new InProcess.Broken("refused", false);
            case CUTS -> throw new InProcess.Broken("cut", true);
            case IS_SILENT -> throw new InProcess.Broken(new SocketTimeoutException("silent"), true);
            case UNAVAILABLE -> response(503, "{\"error\":\"service_unavailable\",\"reason\":\"\"}");
            case REACHES_NOBODY -> response(500, "{\"error\":\"nodedown\",\"reason\":\"progress not possible\"}");
            case REACHES_NO_SHARDS -> response(412, "{\"error\":\"nodedown\",\"reason\":\"progress not possible\"}");
            case IS_BUSY -> response(429, "{\"error\":\"too_many_requests\",\"reason\":\"\"}");
            case LETS_NOBODY_IN -> throw new InProcess.Broken(new ConnectTimeoutException("no connection"), false);
            case BUILDS_AN_INDEX -> {
                if (isView) {
                    throw new InProcess.Broken(new SocketTimeoutException("silent"), true);
                }
                yield response(200, INDEXING);
            }
            case HAS_NO_TIME_FOR_VIEWS ->
                isView ? response(504, "<html>Gateway Time-out</html>") : response(200, INDEXING);
            case DENIES -> response(401, "{\"error\":\"unauthorized\",\"reason\":\"\"}");
        };
    }

    private static InProcess.Response response(int status, String json) {
        return new InProcess.Response(
                status, Map.of(), new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)));
    }
}
