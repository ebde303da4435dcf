package io.couchjobs.engine.claim;

import static io.couchjobs.testing.TestQueue.PATIENCE;
import static io.couchjobs.testing.TestQueue.finished;
import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.feed.LeanFeeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.engine.worker.WorkerHook;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A worker whose feed brings no documents hears of all that concerns it; another process does what it must hear of. */
@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class LeanWorkerTest {
    private static final JobId EMAIL = new JobId("email", "blocker");
    private JobQueue queue;
    private JobQueue other;
    private Feed feed;
    private SettingsStore settings;
    private JobStore store;
    private final Skips skips = new Skips();
    private final CountDownLatch release = new CountDownLatch(1);
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        other = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        release.countDown();
        feed.close();
        queue.close();
        other.close();
    }

    @Test
    void a_cancel_request_reaches_a_running_job() throws Exception {
        try (Worker worker = busy(1)) {
            other.cancel("email", "blocker", CancelMode.REQUEST);
            assertThat(finished(other, "email", "blocker").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(worker.stats().succeeded()).isZero();
        }
    }

    @Test
    void a_job_that_is_removed_while_it_runs_is_interrupted() throws Exception {
        try (Worker worker = busy(1)) {
            other.remove("email", "blocker");
            until(() -> worker.stats().halted() == 1);
        }
    }

    @Test
    void a_cancel_request_of_its_own_process_reaches_a_running_job() throws Exception {
        try (Worker worker = busy(1)) {
            own().cancel(EMAIL, CancelMode.REQUEST, null);
            assertThat(finished(other, "email", "blocker").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(worker.stats().succeeded()).isZero();
        }
    }

    @Test
    void a_job_that_its_own_process_removes_while_it_runs_is_interrupted() throws Exception {
        try (Worker worker = busy(1)) {
            own().remove(EMAIL);
            until(() -> worker.stats().halted() == 1);
        }
    }

    /** Adds and cancels through the store of the worker. */
    private Creator own() {
        return new Creator(store, InstantSource.system());
    }

    @Test
    void a_pause_of_the_type_is_heard() throws Exception {
        try (Worker worker = busy(1)) {
            other.database().put(Jobs.json("{'_id':'type:email','paused':true}"));
            until(() -> settings.get("email").isPaused());
            assertThat(worker.stats().claimed()).isEqualTo(1);
            release.countDown(); // who closes a worker waits for what runs
        }
    }

    @Test
    void an_idle_worker_starts_what_another_process_adds() throws Exception {
        try (Worker worker = idle()) {
            for (int n = 0; n < 3; n++) {
                add("job-" + n);
                assertThat(finished(other, "email", "job-" + n).status()).isEqualTo(JobStatus.SUCCESS);
            }
            until(() -> worker.stats().succeeded() == 4);
        }
    }

    @Test
    void a_busy_worker_starts_what_another_process_added_meanwhile_as_soon_as_it_can() throws Exception {
        try (Worker worker = busy(1)) {
            add("meanwhile");
            heard("job:email:meanwhile");
            release.countDown();
            assertThat(finished(other, "email", "meanwhile").status()).isEqualTo(JobStatus.SUCCESS);
            until(() -> worker.stats().succeeded() == 2);
        }
    }

    @Test
    void a_job_whose_owner_dies_without_having_been_seen_is_set_free() throws Exception {
        other.types().setTimeout("email", Duration.ofSeconds(1));
        try (Worker worker = busy(1)) {
            other.database()
                    .put(Jobs.json("{'_id':'job:email:orphan','status':'running','attempt':1,'fence':1,'data':{},"
                            + "'lock':{'token':'t','worker':'gone','since':1}}"));
            until(() -> !isOwnedByTheDead(other.get("email", "orphan").orElseThrow()));
            until(() ->
                    worker.stats().recovered() > 0); // on a slow machine the worker itself may lose a lease as short
            release.countDown();
        }
    }

    @Test
    void a_job_that_waits_for_another_is_found_and_let_go() throws Exception {
        try (Worker worker = busy(2)) {
            other.add(JobRequest.builder("email")
                    .id("last")
                    .data(Map.of())
                    .after(new JobId("email", "blocker"))
                    .build());
            heard("job:email:last");
            release.countDown();
            assertThat(finished(other, "email", "last").status()).isEqualTo(JobStatus.SUCCESS);
            until(() -> worker.stats().succeeded() == 2);
        }
    }

    @Test
    @NeedsOneCopy("nothing is skipped")
    void an_idle_worker_of_a_fleet_finds_its_jobs_among_changes_that_its_feed_skips() throws Exception {
        try (Worker worker = idleInAFleet()) {
            for (int n = 0; n < 3; n++) {
                untilSkipped();
                String id = "job-" + n;
                add(id);
                until(() -> makesNoise() && other.get("email", id).orElseThrow().status() == JobStatus.SUCCESS);
            }
            until(() -> worker.stats().succeeded() == 3);
        }
    }

    @Test
    @NeedsOneCopy("nothing is skipped")
    void a_pause_of_the_type_that_the_feed_skipped_is_seen_before_the_next_claim() throws Exception {
        try (Worker worker = idleInAFleet()) {
            untilSkipped();
            other.database().put(Jobs.json("{'_id':'type:email','paused':true}"));
            until(() -> makesNoise() && settings.get("email").isPaused());
            assertThat(worker.stats().claimed()).isZero();
        }
    }

    @Test
    @NeedsOneCopy("nothing is skipped")
    void a_job_that_was_claimed_while_the_feed_skipped_and_whose_owner_dies_is_set_free() throws Exception {
        other.types().setTimeout("noise", Duration.ofSeconds(1));
        try (Worker worker = idleInAFleet()) {
            untilSkipped();
            other.database()
                    .put(Jobs.json("{'_id':'job:noise:orphan','status':'running','attempt':1,'fence':1,'data':{},"
                            + "'lock':{'token':'t','worker':'gone','since':1}}"));
            until(() -> makesNoise()
                    && !isOwnedByTheDead(other.get("noise", "orphan").orElseThrow()));
            until(() -> worker.stats().recovered() == 1);
        }
    }

    /** One of five workers, of which the others are registered only. */
    private Worker idleInAFleet() {
        JobStore store = Stores.of(queue.database());
        for (int n = 1; n < 5; n++) {
            other.database().put(Jobs.json("{'_id':'worker:fleet-" + n + "','types':['noise']}"));
        }
        return builder((jobs, always) -> LeanFeeds.skipping(jobs, always, skips), store)
                .start();
    }

    private void untilSkipped() throws Exception {
        int before = skips.count.get();
        until(() -> makesNoise() && skips.count.get() > before);
    }

    /** Another type's jobs; always true. */
    private boolean makesNoise() {
        other.addAll(IntStream.range(0, 5)
                .mapToObj(n -> JobRequest.of("noise", Map.of()))
                .toList());
        return true;
    }

    /** Counts how often the feed skipped something. */
    private static final class Skips implements FeedListener {
        private final AtomicInteger count = new AtomicInteger();

        @Override
        public void changed(FeedEvent event) {}

        @Override
        public boolean needsDocument(FeedNotice notice) {
            return false;
        }

        @Override
        public boolean needsEach() {
            return false;
        }

        @Override
        public Duration patience() {
            return LATER;
        }

        @Override
        public void skipped() {
            count.incrementAndGet();
        }
    }

    @Test
    void each_of_many_jobs_runs_once_while_feeds_change_to_and_fro(TestDatabase database) throws Exception {
        int many = database.serverName().contains("PouchDB") ? 60 : 400;
        JobStore store = Stores.of(queue.database());
        try (Worker mine = builder(LeanFeeds::nervous, store).concurrency(5).start();
                Worker theirs = other.worker()
                        .concurrency(5)
                        .handler("email", (data, context) -> ran(context.id().id()))
                        .start()) {
            for (int from = 0; from < many; from += 20) {
                other.addAll(IntStream.range(from, from + 20)
                        .mapToObj(n -> JobRequest.builder("email")
                                .id("" + n)
                                .data(Map.of())
                                .build())
                        .toList());
            }
            until(() -> mine.stats().succeeded() + theirs.stats().succeeded() == many);
        }
        assertThat(runs).hasSize(many);
        assertThat(runs.values()).containsOnly(1);
    }

    private static boolean isOwnedByTheDead(Job job) {
        return job.lock().filter(lock -> lock.worker().equals("gone")).isPresent();
    }

    /** A worker that runs a job until it is released, and one more at a time if it may. */
    private Worker busy(int concurrency) throws Exception {
        store = Stores.of(queue.database());
        add("blocker");
        Worker worker =
                builder(LeanFeeds::always, store).concurrency(concurrency).start();
        until(() -> runs.containsKey("blocker"));
        return worker;
    }

    private Worker idle() throws Exception {
        JobStore store = Stores.of(queue.database());
        Worker worker = builder(LeanFeeds::always, store).start();
        add("first");
        until(() -> runs.containsKey("first"));
        release.countDown();
        until(() -> worker.stats().succeeded() == 1);
        return worker;
    }

    private WorkerBuilder builder(BiFunction<JobStore, FeedListener, Feed> lean, JobStore store) {
        ServerClock clock =
                TestQueue.clock(InstantSource.system(), queue.database().server());
        settings = new SettingsStore(queue.database(), Duration.ofSeconds(60));
        feed = lean.apply(store, settings);
        JobIndex index = new JobIndex(new DesignDocuments(queue.database()));
        return QueueWorker.builder(new QueueParts(store, index, settings, feed, clock), WorkerHook.NONE)
                .handler("email", (data, context) -> {
                    ran(context.id().id());
                    if (context.id().id().equals("blocker")) {
                        boolean unused = release.await(PATIENCE.toSeconds() * 2, TimeUnit.SECONDS);
                    }
                    return null;
                });
    }

    private Object ran(String id) {
        runs.merge(id, 1, Integer::sum);
        return id;
    }

    private void add(String id) {
        other.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }

    /** Waits until the feed has told of a document that is there: who listens last hears of it last. */
    private void heard(String docId) throws Exception {
        String witness = "witness:" + docId;
        CountDownLatch told = new CountDownLatch(1);
        try (Listening listening = feed.listen(new FeedListener() {
            @Override
            public void changed(FeedEvent event) {
                if (event.docId().equals(witness)) {
                    told.countDown();
                }
            }

            @Override
            public boolean needsDocument(FeedNotice notice) {
                return false;
            }
        })) {
            other.database().put(Jobs.json("{'_id':'" + witness + "'}"));
            assertThat(listening).isNotNull();
            assertThat(told.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }
}
