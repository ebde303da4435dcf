package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.Auth;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.couch.config.Secret;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.Site;
import io.couchjobs.testing.NodeDoor;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue that knows several nodes. Here they are doors to one server, so that only the way to it fails. */
@ServerTest
class SeveralNodesTest {
    private final List<NodeDoor> doors = new ArrayList<>();
    private final List<JobQueue> queues = new ArrayList<>();
    private final List<CouchServer> clients = new ArrayList<>();
    private TestDatabase database;
    private JobQueue direct;

    @BeforeEach
    void open(TestDatabase given) {
        database = given;
        direct = TestQueue.open(database);
        for (int i = 0; i < 3; i++) {
            doors.add(new NodeDoor(database.serverUrl()));
        }
    }

    @AfterEach
    void close() {
        doors.forEach(NodeDoor::thaw);
        queues.forEach(JobQueue::close);
        clients.forEach(CouchServer::close);
        direct.close();
        doors.forEach(NodeDoor::close);
    }

    @Test
    void each_job_runs_once_while_nodes_die_one_after_the_other() throws Exception {
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        JobQueue creator = queue();
        try (Worker one = worker(queue(), runs);
                Worker two = worker(queue(), runs)) {
            for (int round = 0; round < 6; round++) {
                NodeDoor dying = doors.get(round % 3);
                creator.addAll(requests(round, "before"));
                dying.die();
                creator.addAll(requests(round, "after"));
                int expected = (round + 1) * 20;
                TestQueue.until(() -> one.stats().succeeded() + two.stats().succeeded() == expected);
                dying.rise();
            }
        }
        assertThat(runs).hasSize(120).allSatisfy((id, count) -> assertThat(count)
                .hasValue(1));
    }

    @Test
    void an_accept_that_waits_for_a_job_is_woken_though_its_feed_has_to_move() throws Exception {
        JobQueue waiting = queue();
        for (int round = 0; round < 3; round++) {
            CompletableFuture<List<ClaimedJob>> accepted = CompletableFuture.supplyAsync(() -> accept(waiting));
            List<NodeDoor> inUse = doorsInUse();
            inUse.forEach(NodeDoor::die);
            direct.add(request("" + round));
            assertThat(accepted.get(30, TimeUnit.SECONDS)).hasSize(1).allSatisfy(ClaimedJob::finish);
            for (NodeDoor door : inUse) {
                door.rise();
            }
        }
    }

    @Test
    void a_node_that_freezes_holds_up_its_clients_once_and_no_longer_than_the_response_timeout() {
        JobQueue queue = impatient();
        queue.add(request("warm"));
        NodeDoor home = doors.stream()
                .filter(door -> door.openConnections() > 0)
                .findFirst()
                .orElseThrow();
        home.freeze();
        int connections = home.connections();
        long before = System.nanoTime();
        queue.add(request("1"));
        Duration first = Duration.ofNanos(System.nanoTime() - before);
        assertThat(first).isGreaterThan(Duration.ofMillis(900));
        for (int i = 2; i < 40; i++) {
            queue.add(request("" + i));
        }
        assertThat(home.connections() - connections)
                .as("connections to the frozen node; the 38 requests made none, seldom probes do")
                .isLessThan(20);
        assertThat(direct.get("email", "1")).isPresent();
        assertThat(direct.get("email", "39")).isPresent();
    }

    @Test
    void a_queue_opens_when_only_one_node_is_there() {
        doors.get(0).die();
        doors.get(2).die();
        JobQueue queue = queue();
        queue.add(request("1"));
        assertThat(doors.get(1).connections()).isPositive();
        assertThat(direct.get("email", "1")).isPresent();
    }

    /** As many as it takes: that all clients of one node choose the same other one is as good as impossible. */
    @Test
    void clients_of_a_node_that_died_spread_and_do_not_come_back_all_at_once() throws Exception {
        List<CouchDatabase> asking = Stream.generate(this::client).limit(150).toList();
        asking.forEach(CouchDatabase::exists);
        List<Integer> homes = doors.stream().map(NodeDoor::openConnections).toList();
        assertThat(homes).as("connections per node").allMatch(count -> count >= 1);
        doors.get(0).die();
        asking.forEach(CouchDatabase::exists);
        assertThat(doors.get(1).connections() - homes.get(1)).isPositive();
        assertThat(doors.get(2).connections() - homes.get(2)).isPositive();
        int before = doors.get(0).connections();
        doors.get(0).rise();
        TestQueue.until(() -> {
            asking.forEach(CouchDatabase::exists);
            return doors.get(0).openConnections() >= homes.get(0);
        });
        assertThat(doors.get(0).connections() - before)
                .as("only those came back who had been there, each with a probe and its requests")
                .isLessThanOrEqualTo(3 * homes.get(0));
    }

    @Test
    void the_urls_must_name_the_same_database() {
        assertThatThrownBy(() -> JobQueue.open("http://me:secret@one/jobs", "http://me:secret@two/others"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http://one/jobs and http://two/others name two");
    }

    private Worker worker(JobQueue queue, Map<String, AtomicInteger> runs) {
        return queue.worker()
                .concurrency(4)
                .handler("email", (data, context) -> runs.computeIfAbsent(
                                context.job().id().id(), id -> new AtomicInteger())
                        .incrementAndGet())
                .start();
    }

    private static List<ClaimedJob> accept(JobQueue queue) {
        try {
            return queue.accept(AcceptOptions.of("email").timeout(Duration.ofMinutes(1)));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The doors through which the only queue sends its requests and has its feed: one, or two. */
    private List<NodeDoor> doorsInUse() throws Exception {
        List<NodeDoor> inUse = new ArrayList<>();
        TestQueue.until(() -> {
            inUse.clear();
            doors.stream().filter(door -> door.openConnections() > 0).limit(2).forEach(inUse::add);
            return !inUse.isEmpty();
        });
        return inUse;
    }

    private static List<JobRequest> requests(int round, String when) {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            requests.add(request(round + "-" + when + "-" + i));
        }
        return requests;
    }

    private static JobRequest request(String id) {
        return JobRequest.builder("email").id(id).data(Map.of()).build();
    }

    private JobQueue queue() {
        JobQueueBuilder builder = JobQueue.builder(url(doors.get(0)))
                .renewLeases(false)
                .url(url(doors.get(1)))
                .url(url(doors.get(2)));
        auth().ifPresent(builder::auth);
        JobQueue queue = builder.open();
        queues.add(queue);
        return queue;
    }

    /** A queue that takes an answer for lost after 1 s. */
    private JobQueue impatient() {
        JobQueue queue = new JobQueue(
                connect(allNodes().responseTimeout(Duration.ofSeconds(1))),
                JobQueue.builder(url(doors.get(0))).renewLeases(false),
                Site.UNNAMED);
        queues.add(queue);
        return queue;
    }

    /** Not a queue: it sends nothing but what it is told to. */
    private CouchDatabase client() {
        CouchDatabase client = connect(allNodes());
        clients.add(client.server());
        return client;
    }

    private CouchConfig.Builder allNodes() {
        CouchConfig.Builder config = CouchConfig.builder(doors.get(0).url())
                .node(doors.get(1).url())
                .node(doors.get(2).url());
        auth().ifPresent(config::auth);
        return config;
    }

    private CouchDatabase connect(CouchConfig.Builder config) {
        return CouchServer.connect(config.build()).database(database.name());
    }

    private Optional<Auth> auth() {
        return database.user()
                .map(user -> new Auth.Basic(user, Secret.of(database.password().orElse(""))));
    }

    private URI url(NodeDoor door) {
        return door.url().resolve(database.name());
    }
}
