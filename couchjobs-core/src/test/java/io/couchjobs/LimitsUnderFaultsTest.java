package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.QueueListener;
import io.couchjobs.testing.Held;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Lost;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.OwnedAtOnce;
import io.couchjobs.testing.PretendedCluster;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.Replicated;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.Limit;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A type with a limit of one, and workers that stop, die or lose answers at the worst moments. */
@ServerTest
@SuppressWarnings("try")
class LimitsUnderFaultsTest {
    private static final Duration A_CLAIM_TAKES_LESS = Duration.ofSeconds(11);

    private TestDatabase database;
    private Proxy proxy;
    private JobQueue queue;
    private JobQueue faulty;
    private final List<Stepped> stepped = new ArrayList<>();

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestQueue.open(fresh);
        proxy = Proxy.before(fresh.server());
        faulty = TestQueue.open(proxy.door(fresh));
        queue.types().change("email", settings -> settings.with(Limit.RUNNING, 1));
    }

    @AfterEach
    void close() {
        proxy.close();
        faulty.close();
        stepped.forEach(Stepped::close);
        queue.close();
    }

    @Test
    void a_claim_that_was_on_its_way_for_too_long_wins_nothing_when_it_arrives_after_all() throws Exception {
        add("1", 5);
        Held claim = proxy.holdRequest(LimitsUnderFaultsTest::isClaim);
        CompletableFuture<List<ClaimedJob>> late = acceptLater(faulty);
        claim.awaitArrival();
        add("2", 4);
        Stepped other = stepped();
        assertThat(other.accept(Duration.ZERO)).as("the claim may come").isEmpty();
        other.advance(A_CLAIM_TAKES_LESS);
        List<ClaimedJob> won = other.accept(TestQueue.PATIENCE);
        assertThat(won).hasSize(1);
        claim.releaseAndAwaitAnswer();
        assertThat(late.get(30, TimeUnit.SECONDS)).isEmpty();
        assertThat(owned()).extracting(Job::id).containsExactly(won.get(0).id());
        won.get(0).finish();
        TestQueue.until(() -> slots() == 0);
    }

    @Test
    void a_claim_that_arrives_just_before_its_slot_is_taken_over_keeps_it() throws Exception {
        add("1");
        add("2");
        Held claim = proxy.holdRequest(LimitsUnderFaultsTest::isClaim);
        CompletableFuture<List<ClaimedJob>> slow = acceptLater(faulty);
        claim.awaitArrival();
        Stepped other = stepped();
        assertThat(other.accept(Duration.ZERO)).isEmpty();
        claim.releaseAndAwaitAnswer();
        other.advance(A_CLAIM_TAKES_LESS);
        assertThat(other.accept(Duration.ZERO)).isEmpty();
        assertThat(slow.get(30, TimeUnit.SECONDS)).hasSize(1);
        slow.join().get(0).finish();
        assertThat(other.accept(TestQueue.PATIENCE)).hasSize(1);
    }

    @Test
    void one_of_those_who_find_a_slot_that_a_dead_worker_left_takes_it_over() throws Exception {
        for (int i = 0; i < 5; i++) {
            add("j" + i);
        }
        proxy.holdRequest(LimitsUnderFaultsTest::isClaim);
        CompletableFuture<List<ClaimedJob>> dead = acceptLater(faulty);
        List<Stepped> others = List.of(stepped(), stepped(), stepped());
        TestQueue.until(() -> slots() == 1);
        for (Stepped other : others) {
            assertThat(other.accept(Duration.ZERO)).isEmpty();
            other.advance(A_CLAIM_TAKES_LESS);
        }
        AtomicInteger won = new AtomicInteger();
        List<CompletableFuture<Void>> races = others.stream()
                .map(other -> CompletableFuture.runAsync(() -> {
                    while (won.addAndGet(other.acceptUnchecked().size()) == 0) {
                        Thread.onSpinWait();
                    }
                    won.addAndGet(other.acceptUnchecked().size());
                }))
                .toList();
        for (CompletableFuture<Void> race : races) {
            race.get(60, TimeUnit.SECONDS);
        }
        assertThat(won).hasValue(1);
        assertThat(owned()).hasSize(1);
        assertThat(dead).isNotDone();
    }

    @Test
    @NeedsOneCopy("a write whose answer was lost is confirmed by a second one")
    void a_slot_whose_taking_nobody_could_confirm_is_taken_over_later() throws Exception {
        add("1");
        proxy.loseAnswers(1, Proxy.Request::isBulkWrite);
        Lost lookups = proxy.loseRequests(50, Proxy.Request::isLookup);
        assertThatThrownBy(() -> faulty.accept(AcceptOptions.of("email").timeout(Duration.ZERO)))
                .isInstanceOf(CouchException.class);
        assertThat(lookups.count()).isPositive();
        assertThat(slots()).isEqualTo(1);
        Stepped other = stepped();
        assertThat(other.accept(Duration.ZERO)).isEmpty();
        other.advance(A_CLAIM_TAKES_LESS);
        assertThat(other.accept(TestQueue.PATIENCE)).hasSize(1);
    }

    @Test
    void a_claim_that_was_won_is_handed_out_though_the_settings_cannot_be_read_afterwards() throws Exception {
        for (int i = 1; i <= 3; i++) {
            queue.add(JobRequest.builder("sms")
                    .id("" + i)
                    .data(Map.of())
                    .scheduledTime(Jobs.past(i))
                    .build());
        }
        SettingsStore settings = new SettingsStore(faulty.database(), Duration.ofMinutes(1));
        QueueListener forgetful = new QueueListener() {
            @Override
            public void claimLost(Job job) {
                settings.gap();
            }
        };
        try (Stepped unlucky = new Stepped(faulty, "unlucky", settings, List.of(forgetful))) {
            Held claim = proxy.holdRequest(LimitsUnderFaultsTest::isClaim);
            CompletableFuture<List<ClaimedJob>> won = CompletableFuture.supplyAsync(() -> unlucky.acceptAll("sms"));
            claim.awaitArrival();
            assertThat(queue.accept(AcceptOptions.of("sms").max(2).timeout(Duration.ZERO)))
                    .hasSize(2);
            proxy.loseRequests(50, request -> request.uri().getPath().endsWith("/type:sms"));
            claim.releaseAndAwaitAnswer();
            assertThat(won.get(30, TimeUnit.SECONDS)).hasSize(1);
            proxy.clear();
            assertThat(won.join().get(0).finish().status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    @Test
    void lost_requests_and_answers_cost_no_slot_and_make_none() throws Exception {
        faulty.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
        for (int write = 0; write < 4; write++) {
            for (boolean before : new boolean[] {true, false}) {
                String id = write + "-" + before;
                add(id);
                AtomicInteger left = new AtomicInteger(write);
                Predicate<Proxy.Request> one = request -> request.isBulkWrite() && left.getAndDecrement() == 0;
                Lost lost = before ? proxy.loseRequests(1, one) : proxy.loseAnswers(1, one);
                List<ClaimedJob> jobs = faulty.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE));
                assertThat(jobs).as(id).hasSize(1);
                assertThat(slots()).isEqualTo(1);
                jobs.get(0).finish();
                TestQueue.until(() -> slots() == 0);
                TestQueue.until(() -> lost.count() == 1);
                proxy.clear();
            }
        }
    }

    @Test
    @NeedsOneCopy("the feed does not tell of different jobs in the order in which they were claimed")
    void workers_on_a_bad_line_never_own_more_than_the_limit_and_lose_no_slot() throws Exception {
        long seed = Long.getLong("couchjobs.seed", System.nanoTime());
        System.out.println("seed " + seed);
        queue.types().change("email", settings -> settings.with(Limit.RUNNING, 2));
        int jobs = 30;
        for (int i = 0; i < jobs; i++) {
            add("j" + i);
        }
        CountDownLatch done = new CountDownLatch(jobs);
        proxy.detour(new BadLine(new Random(seed)));
        List<JobQueue> queues = new ArrayList<>();
        List<Worker> workers = new ArrayList<>();
        OwnedAtOnce owned = new OwnedAtOnce(queue);
        try {
            for (int i = 0; i < 3; i++) {
                JobQueue own = TestQueue.open(proxy.door(database));
                queues.add(own);
                workers.add(own.worker()
                        .concurrency(2)
                        .handler("email", (data, context) -> null)
                        .onRunEnded(report -> done.countDown())
                        .start());
            }
            assertThat(done.await(120, TimeUnit.SECONDS)).isTrue();
            TestQueue.until(() -> slots() == 0);
            owned.awaitEnds(jobs);
        } finally {
            owned.close();
            workers.forEach(Worker::close);
            queues.forEach(JobQueue::close);
        }
        assertThat(owned.most()).isLessThanOrEqualTo(2);
    }

    @Test
    void a_slot_whose_giving_back_no_majority_confirmed_is_given_back_again() throws Exception {
        PretendedCluster cluster = new PretendedCluster();
        proxy.detour(cluster);
        cluster.acceptInVain(1, doc -> isSlot(doc) && doc.path("_deleted").asBoolean());
        try (Worker worker = workerOnABadLine()) {
            add("1");
            TestQueue.until(() -> cluster.sent().stream()
                    .anyMatch(doc -> isSlot(doc) && doc.path("_deleted").asBoolean()));
            TestQueue.until(() -> slots() == 0);
        }
    }

    @Test
    void a_slot_that_a_past_claim_left_at_another_copy_is_taken_away_by_its_maker() throws Exception {
        PretendedCluster cluster = new PretendedCluster();
        proxy.detour(cluster);
        try (Worker worker = workerOnABadLine()) {
            add("1");
            TestQueue.until(() -> slots() == 0 && cluster.sent().stream().anyMatch(LimitsUnderFaultsTest::isSlot));
            ObjectNode taken = cluster.sent().stream()
                    .filter(LimitsUnderFaultsTest::isSlot)
                    .findFirst()
                    .orElseThrow();
            Replicated.into(database, taken.deepCopy().put("_rev", "9-" + "e".repeat(32)));
            TestQueue.until(() -> slots() == 0);
        }
    }

    private Worker workerOnABadLine() {
        return faulty.worker().handler("email", (data, context) -> null).start();
    }

    private static boolean isSlot(JsonNode doc) {
        return doc.path("_id").asText().startsWith("slot:");
    }

    private void add(String id) {
        add(id, 0);
    }

    private void add(String id, long time) {
        queue.add(JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(Jobs.past(time))
                .build());
    }

    private static boolean isClaim(Proxy.Request request) {
        return request.isBulkWrite() && request.body().contains("\"lock\"");
    }

    private static CompletableFuture<List<ClaimedJob>> acceptLater(JobQueue who) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return who.accept(AcceptOptions.of("email").timeout(Duration.ZERO));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    private int slots() {
        return queue.database()
                .view(ViewQuery.allDocs().startKey("slot:").endKey("slot:\uffff"))
                .rows()
                .size();
    }

    private List<Job> owned() {
        return queue.list(JobFilter.all().status(JobStatus.RUNNING), 100);
    }

    private Stepped stepped() {
        Stepped one = new Stepped(queue, "stepped-" + stepped.size());
        stepped.add(one);
        return one;
    }

    /** Loses some answers and requests of writes, each once only, and lets others wait. */
    private static final class BadLine implements Proxy.Detour {
        private final Random random;
        private final Set<String> lost = new HashSet<>();

        BadLine(Random random) {
            this.random = random;
        }

        @Override
        public boolean goes(Proxy.Request request) throws InterruptedException {
            return passes(request);
        }

        @Override
        public boolean returns(Proxy.Request request) throws InterruptedException {
            return passes(request);
        }

        private boolean passes(Proxy.Request request) throws InterruptedException {
            if (!request.isBulkWrite()) {
                return true;
            }
            int luck;
            boolean passes;
            synchronized (random) {
                luck = random.nextInt(20);
                passes = luck > 1 || !lost.add(request.body());
            }
            TestQueue.work(luck % 4 * 3L);
            return passes;
        }
    }

    /** A worker whose monotonic clock is moved by hand. */
    private static final class Stepped implements AutoCloseable {
        private final AtomicLong nanos = new AtomicLong();
        private final JobStore store;
        private final Feed feed;
        private final Finder finder;

        Stepped(JobQueue queue, String id) {
            this(queue, id, new SettingsStore(queue.database(), Duration.ofMinutes(1)), List.of());
        }

        Stepped(JobQueue queue, String id, SettingsStore settings, List<QueueListener> listeners) {
            store = Stores.of(queue.database(), listeners);
            feed = Feeds.of(queue.database(), settings);
            ServerClock clock =
                    new ServerClock(InstantSource.system(), () -> Duration.ZERO, () -> System.nanoTime() + nanos.get());
            JobIndex index = new JobIndex(new DesignDocuments(queue.database()));
            finder = new Finder(new QueueParts(store, index, settings, feed, clock), id);
        }

        List<ClaimedJob> accept(Duration patience) throws InterruptedException {
            return List.copyOf(finder.accept(AcceptOptions.of("email").timeout(patience)));
        }

        List<ClaimedJob> acceptAll(String type) {
            try {
                return List.copyOf(finder.accept(AcceptOptions.of(type).max(9).timeout(Duration.ZERO)));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        List<ClaimedJob> acceptUnchecked() {
            try {
                return accept(Duration.ZERO);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void advance(Duration time) {
            nanos.addAndGet(time.toNanos());
        }

        @Override
        public void close() {
            finder.close();
            feed.close();
            store.close();
        }
    }
}
