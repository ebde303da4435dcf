package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.NeedsOneCopy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ServerTest
class AcceptingJobsTest {
    private JobQueue queue;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        queue.close();
    }

    @Test
    void an_accepted_job_is_running_and_carries_a_lock() throws Exception {
        queue.add("email", Map.of("n", 1));
        ClaimedJob claim = acceptSoon(AcceptOptions.of("email")).get(0);
        Job stored = queue.get("email", claim.id().id()).orElseThrow();
        assertThat(stored.status()).isEqualTo(JobStatus.RUNNING);
        assertThat(stored.lock().orElseThrow().token()).isEqualTo(claim.token());
        assertThat(stored.attempt()).isEqualTo(1);
        assertThat(claim.fence()).isEqualTo(1);
        assertThat(queue.types().activeIds("email")).containsExactly(claim.id().id());
    }

    @Test
    void an_accept_that_does_not_wait_finds_nothing_in_an_empty_queue() throws Exception {
        assertThat(acceptNow(AcceptOptions.of("email"))).isEmpty();
    }

    @Test
    void a_job_of_the_future_is_not_accepted_but_can_be_asked_for() throws Exception {
        Instant later = Instant.now().plusSeconds(3600);
        add("1", later);
        assertThat(acceptNow(AcceptOptions.of("email"))).isEmpty();
        assertThat(acceptNow(AcceptOptions.of("email").maxScheduledTime(later.minusMillis(1000))))
                .isEmpty();
        assertThat(acceptSoon(AcceptOptions.of("email").maxScheduledTime(later)))
                .hasSize(1);
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void with_one_worker_jobs_come_in_the_order_of_their_times() throws Exception {
        for (int i : new int[] {4, 1, 3, 0, 2}) {
            add("e" + i, Jobs.past(i));
        }
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            order.add(acceptNow(AcceptOptions.of("email")).get(0).id().id());
        }
        assertThat(order).containsExactly("e0", "e1", "e2", "e3", "e4");
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void a_job_that_failed_before_goes_first_when_its_retry_is_due() throws Exception {
        queue.database()
                .put(
                        Jobs.json(
                                "{'_id':'job:email:stuck','status':'stuck','data':{},'attempt':1,'scheduledTime':1500000002000}"));
        add("waiting", Jobs.past(1000));
        assertThat(acceptNow(AcceptOptions.of("email")).get(0).id().id()).isEqualTo("stuck");
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void many_jobs_of_several_types_can_be_accepted_at_once() throws Exception {
        for (int i = 0; i < 3; i++) {
            queue.add("email", Map.of());
            queue.add("sms", Map.of());
            queue.add("fax", Map.of());
        }
        List<ClaimedJob> claims = acceptNow(AcceptOptions.of("email", "sms").max(10));
        assertThat(claims).hasSize(6).extracting(claim -> claim.id().type()).doesNotContain("fax");
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void jobs_without_a_time_can_be_picked_at_random() throws Exception {
        for (int i = 0; i < 10; i++) {
            queue.add("email", Map.of());
        }
        add("timed", Jobs.past(1));
        Set<String> taken = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            taken.add(acceptNow(AcceptOptions.of("email").noSchedule(true))
                    .get(0)
                    .id()
                    .id());
        }
        assertThat(taken).hasSize(10).doesNotContain("timed");
        assertThat(acceptNow(AcceptOptions.of("email").noSchedule(true))).isEmpty();
        assertThatThrownBy(() -> AcceptOptions.of("email").noSchedule(true).maxScheduledTime(Instant.now()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @NeedsOneCopy("the copy of the index that is asked may lag behind for a moment")
    void jobs_without_a_time_whose_ids_begin_alike_are_picked_in_no_order() throws Exception {
        List<String> left = new ArrayList<>();
        List<JobRequest> jobs = new ArrayList<>();
        for (int i = 10; i < 60; i++) {
            left.add("0000-" + i);
            jobs.add(JobRequest.builder("email").id("0000-" + i).data(Map.of()).build());
        }
        queue.addAll(jobs);
        Set<Integer> places = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            String taken = acceptNow(AcceptOptions.of("email").noSchedule(true))
                    .get(0)
                    .id()
                    .id();
            places.add(left.indexOf(taken));
            left.remove(taken);
        }
        assertThat(places).hasSizeGreaterThan(5);
    }

    @Test
    void a_waiting_accept_returns_when_another_process_adds_a_job(TestDatabase database) throws Exception {
        Future<List<ClaimedJob>> accept =
                threads.submit(() -> queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)));
        try (JobQueue other = TestQueue.open(database)) {
            other.add("email", Map.of("n", 1));
            assertThat(accept.get(30, TimeUnit.SECONDS)).hasSize(1);
        }
    }

    @Test
    void a_waiting_accept_returns_when_a_scheduled_job_falls_due() throws Exception {
        Instant due = Instant.now().plusMillis(700);
        add("1", due);
        List<ClaimedJob> claims = queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE));
        assertThat(claims).hasSize(1);
        assertThat(Instant.now()).isAfterOrEqualTo(due.minusMillis(50)).isBefore(due.plusSeconds(30));
    }

    @Test
    void a_waiting_accept_takes_an_earlier_job_that_is_added_meanwhile(TestDatabase database) throws Exception {
        add("far", Instant.now().plusSeconds(3600));
        Future<List<ClaimedJob>> accept =
                threads.submit(() -> queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)));
        try (JobQueue other = TestQueue.open(database)) {
            other.add(JobRequest.builder("email").id("near").data(Map.of()).build());
            assertThat(accept.get(30, TimeUnit.SECONDS).get(0).id().id()).isEqualTo("near");
        }
    }

    @Test
    void a_deadline_is_fixed_whatever_wakes_the_accept_meanwhile() throws Exception {
        long start = System.nanoTime();
        Future<List<ClaimedJob>> accept =
                threads.submit(() -> queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(2))));
        while (!accept.isDone()) {
            add("future", Instant.now().plusSeconds(3600 + (System.nanoTime() - start) / 1000));
        }
        assertThat(accept.get()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(60));
    }

    /** The other worker is the first in turn for some of the jobs. */
    @Test
    void a_caller_who_takes_jobs_up_to_a_time_takes_those_that_a_busy_worker_leaves() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (Worker other = queue.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    busy.countDown();
                    end.await();
                    return null;
                })
                .start()) {
            add("first", Instant.now());
            busy.await();
            for (int i = 0; i < 8; i++) {
                add("due" + i, Instant.now());
            }
            long start = System.nanoTime();
            AcceptOptions options =
                    AcceptOptions.of("email").maxScheduledTime(Instant.now()).timeout(Duration.ofSeconds(20));
            for (int i = 0; i < 8; i++) {
                assertThat(queue.accept(options))
                        .as("job %s beside %s", i, other.id())
                        .hasSize(1);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
            end.countDown();
        }
    }

    @Test
    void racing_accepts_share_the_jobs_and_nobody_gets_one_twice(TestDatabase database) throws Exception {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            requests.add(JobRequest.builder("email").id("e" + i).data(Map.of()).build());
        }
        queue.addAll(requests);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<List<String>>> takers = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            takers.add(threads.submit(() -> {
                List<String> taken = new ArrayList<>();
                try (JobQueue mine = TestQueue.open(database)) {
                    start.await();
                    for (List<ClaimedJob> claims = take(mine); !claims.isEmpty(); claims = take(mine)) {
                        claims.forEach(claim -> taken.add(claim.id().id()));
                    }
                }
                return taken;
            }));
        }
        start.countDown();
        List<String> all = new ArrayList<>();
        for (Future<List<String>> taker : takers) {
            all.addAll(taker.get(60, TimeUnit.SECONDS));
        }
        assertThat(all).hasSize(120).doesNotHaveDuplicates();
    }

    @Test
    void updates_renew_the_lease_and_keep_what_others_set() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = acceptSoon(AcceptOptions.of("email")).get(0);
        queue.cancel("email", "1", CancelMode.REQUEST);
        queue.resubmit("email", "1", Jobs.past(9));
        claim.update(Map.of("n", 2));
        claim.update(new Progress(120, "nearly"));
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.isResubmitted()).isTrue();
        assertThat(job.isCancelRequested()).isTrue();
        assertThat(job.data().path("n").asInt()).isEqualTo(2);
        assertThat(job.progress()).contains(new Progress(100, "nearly"));
    }

    @Test
    void a_finished_job_is_not_its_owners_any_more() throws Exception {
        add("1", Instant.EPOCH);
        ClaimedJob claim = acceptSoon(AcceptOptions.of("email")).get(0);
        claim.finish(Map.of("ok", true));
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(job.result().orElseThrow().toString()).isEqualTo("{\"ok\":true}");
        assertThat(job.lock()).isEmpty();
        assertThatThrownBy(claim::finish).isInstanceOf(HaltException.class);
        assertThatThrownBy(claim::update).isInstanceOf(HaltException.class);
        assertThatThrownBy(claim::assertOwned).isInstanceOf(HaltException.class);
    }

    @Test
    void a_failed_job_is_stuck_until_its_retry_and_then_failed() throws Exception {
        queue.types()
                .change(
                        "email",
                        settings -> settings.withRetryPolicy(
                                new io.couchjobs.type.RetryPolicy(1, Duration.ZERO, Duration.ZERO)));
        add("1", Instant.EPOCH);
        acceptSoon(AcceptOptions.of("email")).get(0).fail(JobError.Kind.FAILED, "boom", null, false);
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.STUCK);
        ClaimedJob second = acceptSoon(AcceptOptions.of("email")).get(0);
        assertThat(second.isLastRetry()).isTrue();
        assertThat(second.fence()).isEqualTo(2);
        second.fail(JobError.Kind.FAILED, "boom again", "at A", false);
        Job failed = queue.get("email", "1").orElseThrow();
        assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
        assertThat(failed.errors()).extracting(JobError::message).containsExactly("boom", "boom again");
        queue.retryNow("email", "1");
        assertThat(acceptSoon(AcceptOptions.of("email"))).hasSize(1);
    }

    @Test
    void a_released_job_is_accepted_again() throws Exception {
        add("1", Instant.EPOCH);
        acceptSoon(AcceptOptions.of("email").start(false)).get(0).release();
        ClaimedJob again = queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
        assertThat(again.job().attempt()).isEqualTo(1);
    }

    @Test
    void a_paused_type_is_not_accepted_until_it_is_resumed(TestDatabase database) throws Exception {
        queue.types().change("email", settings -> settings.withPaused(true));
        add("1", Instant.EPOCH);
        assertThat(acceptNow(AcceptOptions.of("email"))).isEmpty();
        CompletableFuture<List<ClaimedJob>> accept = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
        try (JobQueue other = TestQueue.open(database)) {
            other.types().change("email", settings -> settings.withPaused(false));
        }
        assertThat(accept.get(30, TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void a_program_that_only_accepts_gets_the_job_of_an_owner_that_died(TestDatabase database) throws Exception {
        queue.add("email", Map.of());
        try (JobQueue dying = TestQueue.open(database)) {
            assertThat(dying.accept(AcceptOptions.of("email").timeout(TestQueue.INDEX_LAG)))
                    .hasSize(1);
        }
        // Not before: a claim that is confirmed when its lease is over is none.
        queue.types().setTimeout("email", Duration.ofMillis(500));
        assertThat(queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE)))
                .singleElement()
                .satisfies(claim -> assertThat(claim.job().expirations()).isPositive());
    }

    @Test
    void a_program_that_only_accepts_frees_its_own_job_when_it_gives_no_sign_of_life() throws Exception {
        queue.add("email", Map.of());
        ClaimedJob forgotten = acceptSoon(AcceptOptions.of("email")).get(0);
        queue.types().setTimeout("email", Duration.ofMillis(500));
        assertThat(queue.await("email", forgotten.id().id(), Set.of(JobStatus.WAITING), TestQueue.PATIENCE))
                .isPresent();
        assertThatThrownBy(forgotten::finish).isInstanceOf(HaltException.class);
    }

    private static List<ClaimedJob> take(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").max(7).timeout(Duration.ZERO));
    }

    private List<ClaimedJob> acceptNow(AcceptOptions options) throws InterruptedException {
        return queue.accept(options.timeout(Duration.ZERO));
    }

    /** Of several copies of the index the one that is asked may not have the job yet. */
    private List<ClaimedJob> acceptSoon(AcceptOptions options) throws InterruptedException {
        return queue.accept(options.timeout(TestQueue.INDEX_LAG));
    }

    private void add(String id, Instant time) {
        queue.add(JobRequest.builder("email")
                .id(id)
                .data(Map.of())
                .scheduledTime(time)
                .build());
    }
}
