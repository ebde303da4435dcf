package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The number of jobs that a worker runs at once, and those that it has claimed ahead. */
@ServerTest
class ConcurrencyTest extends EmailQueue {
    @Test
    void concurrency_changes_while_jobs_run() throws Exception {
        Semaphore go = new Semaphore(0);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    go.acquire();
                    running.decrementAndGet();
                    return null;
                })
                .start()) {
            for (int i = 0; i < 12; i++) {
                add("j" + i, "ok");
            }
            TestQueue.until(() -> running.get() == 1);
            worker.concurrency(4);
            TestQueue.until(() -> running.get() == 4);
            worker.concurrency(2);
            go.release(2);
            TestQueue.until(() -> running.get() == 2 && worker.stats().succeeded() == 2);
            most.set(0);
            go.release(10);
            for (int i = 0; i < 12; i++) {
                TestQueue.finished(queue, "email", "j" + i);
            }
            assertThat(most.get()).isLessThanOrEqualTo(2);
            assertThat(worker.concurrency()).isEqualTo(2);
        }
    }

    @Test
    void jobs_claimed_ahead_run_when_concurrency_is_raised() throws Exception {
        Semaphore go = new Semaphore(0);
        try (Worker worker = oneRunsAndAnotherIsClaimedAhead(go)) {
            worker.concurrency(2);
            TestQueue.until(() -> counts(JobStatus.RUNNING) == 2);
            go.release(2);
        }
    }

    @Test
    void a_worker_without_concurrency_leaves_the_jobs_to_others_though_it_may_claim_ahead() throws Exception {
        try (Worker paused = queue.worker()
                .prefetch(5)
                .handler("email", (data, context) -> null)
                .start()) {
            ended("before");
            paused.concurrency(0);
            for (int i = 0; i < 3; i++) {
                add("j" + i, "ok");
            }
            try (Worker other =
                    queue.worker().handler("email", (data, context) -> null).start()) {
                for (int i = 0; i < 3; i++) {
                    TestQueue.finished(queue, "email", "j" + i);
                }
                TestQueue.until(() -> other.stats().succeeded() == 3);
            }
        }
    }

    @Test
    void a_job_claimed_ahead_that_is_cancelled_ends_while_no_slot_is_free() throws Exception {
        Semaphore go = new Semaphore(0);
        try (Worker worker = oneRunsAndAnotherIsClaimedAhead(go)) {
            queue.cancel("email", scheduled(), CancelMode.REQUEST);
            TestQueue.until(
                    () -> counts(JobStatus.CANCELLED) == 1 && worker.stats().cancelled() == 1);
            assertThat(counts(JobStatus.RUNNING)).isEqualTo(1);
            add("third", "ok");
            TestQueue.until(() -> counts(JobStatus.SCHEDULED) == 1);
            assertThat(worker.stats().running()).isEqualTo(1);
            go.release(2);
            TestQueue.until(() -> counts(JobStatus.SUCCESS) == 2);
        }
    }

    @Test
    void jobs_claimed_ahead_are_given_back_when_none_is_to_be_started() throws Exception {
        Semaphore go = new Semaphore(0);
        try (Worker worker = oneRunsAndAnotherIsClaimedAhead(go)) {
            worker.concurrency(0);
            TestQueue.until(() -> counts(JobStatus.SCHEDULED) == 0 && counts(JobStatus.WAITING) == 1);
            assertThat(worker.stats().released()).isEqualTo(1);
            go.release(2);
            TestQueue.until(() -> counts(JobStatus.SUCCESS) == 1);
            worker.concurrency(1);
            TestQueue.until(() -> counts(JobStatus.SUCCESS) == 2);
        }
    }

    @Test
    void concurrency_can_be_given_by_the_processors() throws Exception {
        int cores = Runtime.getRuntime().availableProcessors();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .concurrency("cores*3")
                .start()) {
            assertThat(worker.concurrency()).isEqualTo(3 * cores);
        }
        assertThatThrownBy(() -> queue.worker()
                        .handler("email", (data, context) -> null)
                        .concurrency("many")
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("many");
    }

    @Test
    void jobs_claimed_ahead_are_scheduled_and_run_each_once_when_a_slot_is_free() throws Exception {
        Semaphore go = new Semaphore(0);
        Set<String> ran = ConcurrentHashMap.newKeySet();
        try (Worker worker = queue.worker()
                .concurrency(2)
                .prefetch(3)
                .handler("email", (data, context) -> {
                    go.acquire();
                    assertThat(ran.add(context.id().id())).isTrue();
                    assertThat(context.attempt()).isEqualTo(1);
                    return null;
                })
                .start()) {
            for (int i = 0; i < 20; i++) {
                add("j" + i, "ok");
            }
            TestQueue.until(() -> counts(JobStatus.RUNNING) == 2 && counts(JobStatus.SCHEDULED) == 3);
            TestQueue.until(() -> worker.stats().running() == 2);
            queue.cancel("email", scheduled(), CancelMode.REQUEST);
            go.release(20);
            TestQueue.until(() -> counts(JobStatus.SUCCESS) == 19 && counts(JobStatus.CANCELLED) == 1);
        }
        assertThat(ran).hasSize(19);
    }

    @Test
    void how_long_a_run_took_does_not_include_the_wait_of_a_job_that_was_claimed_ahead() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        BlockingQueue<RunReport> reports = new LinkedBlockingQueue<>();
        add("first", "ok");
        add("second", "ok");
        try (Worker worker = queue.worker()
                .concurrency(1)
                .prefetch(1)
                .handler("email", (data, context) -> {
                    go.await();
                    return null;
                })
                .onRunEnded(reports::add)
                .start()) {
            TestQueue.until(() -> counts(JobStatus.RUNNING) == 1 && counts(JobStatus.SCHEDULED) == 1);
            long letGo = System.nanoTime();
            go.countDown();
            TestQueue.until(() -> reports.size() == 2 && worker.stats().succeeded() == 2);
            Duration sinceLetGo = Duration.ofNanos(System.nanoTime() - letGo);
            assertThat(reports).anySatisfy(second -> assertThat(second.took()).isLessThan(sinceLetGo));
        }
    }

    @Test
    void a_job_claimed_ahead_and_cancelled_before_the_feed_tells_does_not_run(TestDatabase database) throws Exception {
        Proxy proxy = Proxy.before(database.server());
        proxy.deafenFeeds();
        CountDownLatch go = new CountDownLatch(1);
        Set<String> ran = ConcurrentHashMap.newKeySet();
        add("first", "ok");
        add("second", "ok");
        try (JobQueue deaf = TestQueue.open(proxy.door(database));
                Worker worker = deaf.worker()
                        .concurrency(1)
                        .prefetch(1)
                        .handler("email", (data, context) -> {
                            ran.add(context.id().id());
                            go.await();
                            return null;
                        })
                        .start()) {
            TestQueue.until(() -> counts(JobStatus.RUNNING) == 1 && counts(JobStatus.SCHEDULED) == 1);
            queue.cancel("email", scheduled(), CancelMode.REQUEST);
            go.countDown();
            TestQueue.until(() -> counts(JobStatus.SUCCESS) == 1 && counts(JobStatus.CANCELLED) == 1);
            TestQueue.until(() -> worker.stats().cancelled() == 1);
        }
        assertThat(ran).hasSize(1);
    }

    @Test
    void a_worker_that_closes_gives_back_what_it_has_not_started() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Worker worker = queue.worker()
                .concurrency(1)
                .prefetch(5)
                .handler("email", (data, context) -> {
                    running.countDown();
                    go.await();
                    return null;
                })
                .start();
        for (int i = 0; i < 6; i++) {
            add("j" + i, "ok");
        }
        TestQueue.until(() -> counts(JobStatus.SCHEDULED) == 5);
        running.await();
        Thread closing = new Thread(worker::close);
        closing.start();
        TestQueue.until(() -> counts(JobStatus.WAITING) == 5);
        assertThat(counts(JobStatus.RUNNING)).isEqualTo(1);
        go.countDown();
        closing.join();
        assertThat(counts(JobStatus.SUCCESS)).isEqualTo(1);
        assertThat(counts(JobStatus.WAITING)).isEqualTo(5);
    }

    private Worker oneRunsAndAnotherIsClaimedAhead(Semaphore go) throws Exception {
        Worker worker = queue.worker()
                .concurrency(1)
                .prefetch(1)
                .handler("email", (data, context) -> {
                    go.acquire();
                    return null;
                })
                .start();
        add("first", "ok");
        add("second", "ok");
        TestQueue.until(() -> counts(JobStatus.RUNNING) == 1 && counts(JobStatus.SCHEDULED) == 1);
        return worker;
    }

    private long counts(JobStatus status) {
        TypeCounts counts = queue.types().counts().get("email");
        return counts == null ? 0 : counts.byStatus().getOrDefault(status, 0L);
    }

    private String scheduled() {
        return queue.all(io.couchjobs.job.JobFilter.all().type("email").status(JobStatus.SCHEDULED))
                .findFirst()
                .orElseThrow()
                .id()
                .id();
    }
}
