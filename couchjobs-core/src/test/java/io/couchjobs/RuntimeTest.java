package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What surrounds a run: hooks, interceptors, its thread, how many run at once, and how a worker closes. */
@ServerTest
class RuntimeTest {
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        queue = TestQueue.open(database);
        queue.types()
                .change(
                        "email",
                        settings -> settings.withRetryPolicy(
                                new RetryPolicy(1, Duration.ofMillis(1), Duration.ofMillis(1))));
    }

    @AfterEach
    void close() {
        queue.close();
    }

    /** Tells what is called, in order, and does what its job says. */
    private final class Telling implements JobHandler<ObjectNode> {
        @Override
        public Object handle(ObjectNode data, JobContext context) throws Exception {
            heard.add("handle");
            switch (data.path("do").asText()) {
                case "fail" -> throw new IllegalStateException("no");
                case "fail for good" -> throw new PermanentJobException("never");
                case "hang" -> new CountDownLatch(1).await();
                case "bad result" -> {
                    return new Object();
                }
                default -> {}
            }
            return null;
        }

        @Override
        public void setup(ObjectNode data, JobContext context) {
            heard.add("setup");
            if (data.path("do").asText().equals("fail in setup")) {
                throw new IllegalStateException("no");
            }
        }

        @Override
        public void cleanup(ObjectNode data, JobContext context) {
            heard.add("cleanup");
            throw new IllegalStateException("a bug in the cleanup");
        }

        @Override
        public void cancelled(ObjectNode data, JobContext context) throws Exception {
            // The interrupt is the handler's, not the hook's: this does not throw.
            new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS);
            heard.add("cancelled");
        }

        @Override
        public void killed(ObjectNode data, JobContext context) {
            heard.add("killed");
        }

        @Override
        public void exhausted(ObjectNode data, JobContext context, Throwable problem) {
            heard.add("exhausted: " + problem.getMessage() + ", "
                    + queue.phase("email", context.id().id()));
        }
    }

    @Test
    void hooks_are_called_in_order_and_a_failing_cleanup_changes_nothing() throws Exception {
        try (Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Telling()).start()) {
            assertThat(ended("ok").status()).isEqualTo(JobStatus.SUCCESS);
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(heard).containsExactly("setup", "handle", "cleanup");
    }

    @Test
    void a_failing_setup_fails_the_run_and_the_last_failure_is_told_once_it_is_stored() throws Exception {
        try (Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Telling()).start()) {
            assertThat(ended("fail in setup").status()).isEqualTo(JobStatus.FAILED);
            TestQueue.until(() -> worker.stats().failed() == 1);
        }
        assertThat(heard).containsExactly("setup", "cleanup", "setup", "cleanup", "exhausted: no, FINISHED");
    }

    @Test
    void a_run_that_failed_for_good_by_its_result_is_told_too() throws Exception {
        try (Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Telling()).start()) {
            assertThat(ended("bad result").status()).isEqualTo(JobStatus.FAILED);
            TestQueue.until(() -> worker.stats().failed() == 1);
        }
        assertThat(heard).hasSize(4).last().asString().startsWith("exhausted: ");
    }

    @Test
    void a_permanent_failure_is_the_last_one() throws Exception {
        try (Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Telling()).start()) {
            assertThat(ended("fail for good").status()).isEqualTo(JobStatus.FAILED);
            TestQueue.until(() -> worker.stats().failed() == 1);
        }
        assertThat(heard).containsExactly("setup", "handle", "cleanup", "exhausted: never, FINISHED");
    }

    @Test
    void a_cancelled_and_a_killed_run_call_their_hooks() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", ObjectNode.class, new Telling())
                .timeLimit(Duration.ofMillis(200))
                .start()) {
            assertThat(ended("hang").status()).isEqualTo(JobStatus.FAILED);
            TestQueue.until(() -> worker.stats().failed() == 1);
        }
        assertThat(heard).containsSubsequence("setup", "handle", "killed", "cleanup");
        heard.clear();
        try (Worker worker =
                queue.worker().handler("email", ObjectNode.class, new Telling()).start()) {
            add("cancelled", "hang");
            TestQueue.until(() -> heard.contains("handle"));
            queue.cancel("email", "cancelled", CancelMode.REQUEST);
            assertThat(TestQueue.finished(queue, "email", "cancelled").status()).isEqualTo(JobStatus.CANCELLED);
            TestQueue.until(() -> worker.stats().cancelled() == 1);
        }
        assertThat(heard).containsExactly("setup", "handle", "cancelled", "cleanup");
    }

    @Test
    void interceptors_stand_around_each_run_the_first_one_outermost() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", ObjectNode.class, new Telling())
                .interceptor((context, run) -> {
                    heard.add("outer " + context.id());
                    try {
                        return run.call();
                    } finally {
                        heard.add("outer ends");
                    }
                })
                .interceptor((context, run) -> {
                    heard.add("inner");
                    run.call();
                    return "changed";
                })
                .start()) {
            assertThat(ended("ok").result().orElseThrow().asText()).isEqualTo("changed");
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
        assertThat(heard).containsExactly("outer email:ok", "inner", "setup", "handle", "cleanup", "outer ends");
    }

    @Test
    void a_snoozed_job_runs_later_and_the_run_does_not_count() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    if (runs.incrementAndGet() <= 3) {
                        throw new SnoozeException(Duration.ofMillis(20));
                    }
                    return context.attempt();
                })
                .start()) {
            Job done = ended("1");
            assertThat(done.result().orElseThrow().asInt()).isEqualTo(1);
            assertThat(done.errors()).isEmpty();
            TestQueue.until(() -> worker.stats().released() == 3);
        }
        assertThatThrownBy(() -> new SnoozeException(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void each_run_has_a_fresh_handler_on_a_clean_thread_with_the_applications_class_loader() throws Exception {
        InheritableThreadLocal<String> inherited = new InheritableThreadLocal<>();
        inherited.set("of the thread that made the worker");
        ThreadLocal<String> left = new ThreadLocal<>();
        ClassLoader loader = new ClassLoader(getClass().getClassLoader()) {};
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        AtomicInteger made = new AtomicInteger();
        List<Object> wrong = Collections.synchronizedList(new ArrayList<>());
        try (Worker worker = queue.worker()
                .concurrency(1)
                .handlerFactory(JobType.of("email", ObjectNode.class), () -> {
                    made.incrementAndGet();
                    return (data, context) -> {
                        if (inherited.get() != null || left.get() != null) {
                            wrong.add("thread-locals of others");
                        }
                        left.set("of run " + context.id());
                        if (Thread.currentThread().getContextClassLoader() != loader) {
                            wrong.add(Thread.currentThread().getContextClassLoader());
                        }
                        return null;
                    };
                })
                .start()) {
            for (int i = 0; i < 5; i++) {
                ended("j" + i);
            }
            assertThat(worker.stats().failed()).isZero();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            inherited.remove();
        }
        assertThat(made.get()).isEqualTo(5);
        assertThat(wrong).isEmpty();
    }

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

    @Test
    void a_worker_may_cancel_what_still_runs_when_its_time_for_closing_is_over() throws Exception {
        Worker worker = queue.worker()
                .handler("email", ObjectNode.class, new Telling())
                .whenClosing(Worker.ClosingMode.CANCEL)
                .start();
        add("1", "hang");
        TestQueue.until(() -> heard.contains("handle"));
        worker.close(Duration.ofMillis(50));
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(heard).contains("cancelled");
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

    private Job ended(String what) throws InterruptedException {
        add(what, what);
        return TestQueue.finished(queue, "email", what);
    }

    private void add(String id, String what) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of("do", what)).build());
    }
}
