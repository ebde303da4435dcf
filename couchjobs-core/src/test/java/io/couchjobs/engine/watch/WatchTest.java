package io.couchjobs.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Subscription;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who waits for a job while the queue is being closed. */
@ServerTest
class WatchTest {
    private static final JobId EMAIL = new JobId("email", "1");

    /** The connections are closed last: whoever comes in between can still read the job, but hears of no change any more. */
    @Test
    void a_caller_that_begins_to_wait_while_the_queue_closes_is_told_so(TestDatabase database) {
        try (JobQueue queue = TestQueue.open(database);
                Feed feed = Feeds.of(queue.database())) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Watch watch = new Watch(feed, Stores.of(queue.database()));
            watch.close();
            assertThatThrownBy(() -> watch.await(
                            new JobId("email", "1"), job -> job.phase() == JobPhase.FINISHED, TestQueue.PATIENCE))
                    .isInstanceOf(CouchJobsException.class)
                    .hasMessageContaining("the queue was closed");
        }
    }

    @Test
    void a_listener_that_missed_the_beginning_of_another_run_is_told_its_end(TestDatabase database) throws Exception {
        Set<Long> slow = ConcurrentHashMap.newKeySet();
        Set<Long> quick = ConcurrentHashMap.newKeySet();
        CountDownLatch goOn = new CountDownLatch(1);
        try (JobQueue queue = TestQueue.open(database)) {
            queue.watch(JobFilter.all(), change -> {
                ended(change).ifPresent(slow::add);
                awaitQuietly(goOn, !slow.isEmpty());
            });
            queue.watch(JobFilter.all(), change -> ended(change).ifPresent(quick::add));
            run(queue);
            TestQueue.until(() -> slow.equals(Set.of(1L)));
            run(queue);
            TestQueue.until(() -> quick.size() == 2);
            goOn.countDown();

            TestQueue.until(() -> slow.equals(quick));
        }
    }

    @Test
    void a_subscriber_hears_though_its_other_thread_could_not_read_the_job(TestDatabase database) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch fails = new CountDownLatch(1);
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            proxy.detour(readings(answer -> {
                boolean isFirst = begun.getCount() > 0;
                begun.countDown();
                awaitQuietly(fails, isFirst);
                return isFirst ? "no JSON" : answer;
            }));
            CompletableFuture<Subscription> other =
                    CompletableFuture.supplyAsync(() -> queue.subscribe(new JobId("email", "1"), "dashboard"));
            begun.await();
            Subscription heard = queue.subscribe(new JobId("email", "1"), "dashboard");
            fails.countDown();
            assertThatThrownBy(other::get).hasCauseInstanceOf(CouchJobsException.class);
            queue.claim(new JobId("email", "1")).orElseThrow().finish();
            assertThat(heard.ended().get(1, TimeUnit.MINUTES)).isNotNull();
        }
    }

    @Test
    void a_subscriber_hears_though_its_other_thread_could_not_read_the_job_before(TestDatabase database)
            throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            proxy.detour(readings(answer -> {
                if (fails.get()) {
                    return "no JSON";
                }
                begun.countDown();
                awaitQuietly(goesOn, true);
                return answer;
            }));
            CompletableFuture<Subscription> heard =
                    CompletableFuture.supplyAsync(() -> queue.subscribe(new JobId("email", "1"), "dashboard"));
            begun.await();
            fails.set(true);
            assertThatThrownBy(() -> queue.subscribe(new JobId("email", "1"), "dashboard"))
                    .isInstanceOf(CouchJobsException.class);
            fails.set(false);
            goesOn.countDown();
            Subscription subscription = heard.get();
            queue.claim(new JobId("email", "1")).orElseThrow().finish();
            assertThat(subscription.ended().get(1, TimeUnit.MINUTES)).isNotNull();
        }
    }

    /** Changes what is read of the job. */
    private static Proxy.Detour readings(UnaryOperator<String> change) {
        return new Proxy.Detour() {
            @Override
            public String rewrites(Proxy.Request request, String answer) {
                return request.uri().getPath().endsWith("/job:email:1") ? change.apply(answer) : answer;
            }
        };
    }

    @Test
    void a_failed_subscription_to_many_jobs_leaves_none_behind(TestDatabase database) throws Exception {
        List<JobRequest> jobs = IntStream.rangeClosed(0, JobReader.PAGE)
                .mapToObj(n ->
                        JobRequest.builder("email").id("" + n).data(Map.of()).build())
                .toList();
        List<JobId> ids = jobs.stream().map(JobRequest::id).toList();
        try (Proxy proxy = Proxy.before(database.server());
                JobQueue queue = TestQueue.open(proxy.door(database))) {
            queue.addAll(jobs);
            proxy.detour(new Proxy.Detour() {
                @Override
                public boolean goes(Proxy.Request request) {
                    return !request.body().contains("\"job:email:" + JobReader.PAGE + "\"");
                }
            });
            assertThatThrownBy(() -> queue.subscribe(ids)).isInstanceOf(CouchJobsException.class);
            proxy.clear();

            assertThat(queue.claim(ids.get(0))).isPresent();
            Subscription fresh = queue.subscribe(ids.get(0), Thread.currentThread());
            assertThat(fresh.phase()).as("not one that has waited since then").isEqualTo(JobPhase.RUNNING);
        }
    }

    @Test
    void a_run_that_failed_is_told_though_its_beginning_was_not(TestDatabase database) throws Exception {
        List<Integer> failed = new CopyOnWriteArrayList<>();
        try (JobQueue queue = TestQueue.open(database)) {
            queue.watch(JobFilter.all(), change -> change.job()
                    .filter(job -> job.status() == JobStatus.STUCK)
                    .ifPresent(job -> failed.add(job.attempt())));
            for (int attempt = 1; attempt <= 2; attempt++) {
                ObjectNode job =
                        Jobs.json("{'_id':'job:email:1','status':'stuck','data':{},'attempt':" + attempt + "}");
                queue.database().get("job:email:1").ifPresent(present -> job.set("_rev", present.get("_rev")));
                queue.database().put(job);
                int runs = attempt;
                TestQueue.until(() -> failed.contains(runs));
            }
        }
        assertThat(failed).containsExactly(1, 2);
    }

    @Test
    void a_listener_that_was_too_slow_is_told_that_it_missed_changes_when_it_has_caught_up(TestDatabase database)
            throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        CountDownLatch goOn = new CountDownLatch(1);
        StatusChanges.Hearer slow = new StatusChanges.Hearer(
                change -> {
                    heard.add(change.id().id());
                    awaitQuietly(goOn, true);
                },
                () -> heard.add("missed"));
        try (JobQueue queue = TestQueue.open(database);
                StatusChanges changes = new StatusChanges(
                        JobFilter.all(), Stores.of(queue.database()), slow, closed -> {}, new Mailbox(2, 10_000))) {
            changes.told(gone("a"));
            TestQueue.until(() -> heard.contains("a"));
            for (String id : List.of("b", "c", "d", "e")) {
                changes.told(gone(id));
            }
            goOn.countDown();

            TestQueue.until(() -> heard.equals(List.of("a", "d", "e", "missed")));
        }
    }

    @Test
    void a_waiter_is_not_told_the_end_that_came_before_the_add_of_its_job(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            run(queue);
            Snapshot end = Snapshot.of(queue.get(EMAIL).orElseThrow());
            assertWaiterIsToldItsOwnEnd(queue, end);
        }
    }

    @Test
    void a_waiter_is_not_told_the_removal_that_came_before_the_add_of_its_job(TestDatabase database) throws Exception {
        try (JobQueue queue = TestQueue.open(database)) {
            run(queue);
            queue.remove(EMAIL);
            Snapshot removal = new JobReader(queue.database())
                    .snapshots(List.of(EMAIL.docId()))
                    .get(EMAIL.docId());
            assertThat(removal.phase()).isEqualTo(JobPhase.NOT_FOUND);
            assertWaiterIsToldItsOwnEnd(queue, removal);
        }
    }

    private static void assertWaiterIsToldItsOwnEnd(JobQueue queue, Snapshot before) throws InterruptedException {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        JobStore store = Stores.of(queue.database());
        Awaited waiter = new Awaited(EMAIL, job -> job.phase() == JobPhase.FINISHED);
        try (Feed feed = Feeds.of(queue.database());
                Followers followers = new Followers(feed, store)) {
            followers.join(waiter);
            waiter.open(Snapshot.of(store.read(EMAIL).orElseThrow()));
            followers.told(before);

            Job own = queue.claim(EMAIL).orElseThrow().finish();
            assertThat(waiter.get(store.environment(), TestQueue.PATIENCE))
                    .hasValueSatisfying(told -> assertThat(told.rev()).isEqualTo(own.rev()));
        }
    }

    private static Snapshot gone(String id) {
        return Snapshot.gone(new JobId("email", id), "1-x");
    }

    private static void run(JobQueue queue) throws InterruptedException {
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0)
                .finish();
    }

    private static Optional<Long> ended(JobChange change) {
        return change.job().filter(job -> job.status() == JobStatus.SUCCESS).map(Job::fence);
    }

    private static void awaitQuietly(CountDownLatch latch, boolean isToWait) {
        try {
            boolean unused = !isToWait || latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
