package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.JobType;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.SnoozeException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Hooks and interceptors of a run, its thread, and the end of its worker. */
@ServerTest
class RuntimeTest extends EmailQueue {
    private final List<String> heard = Collections.synchronizedList(new ArrayList<>());

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
            // The interrupt is the handler's, not the hook's: this does not throw, though the job is read once more.
            context.assertOwned();
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
}
