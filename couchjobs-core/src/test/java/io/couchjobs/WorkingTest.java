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
import io.couchjobs.testing.EndlessHandler;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@ServerTest
@Execution(ExecutionMode.CONCURRENT)
class WorkingTest extends OpenQueue {
    record Email(String to) {}

    @Test
    void a_worker_runs_jobs_and_stores_what_their_handlers_return() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", Email.class, (email, context) -> Map.of("sentTo", email.to()))
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(new Email("ada")).build());
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.result().orElseThrow().path("sentTo").asText()).isEqualTo("ada");
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
    }

    @Test
    void two_racing_workers_run_each_job_once_and_stop_when_the_queue_is_empty() throws Exception {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            requests.add(
                    JobRequest.builder("email").id("e" + i).data(new Email("x")).build());
        }
        queue.addAll(requests);
        Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
        List<Worker> workers = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            workers.add(queue.worker()
                    .concurrency(8)
                    .untilEmpty()
                    .handler("email", (data, context) -> runs.computeIfAbsent(
                                    context.id().id(), id -> new AtomicInteger())
                            .incrementAndGet())
                    .start());
        }
        long succeeded = 0;
        for (Worker worker : workers) {
            worker.awaitStopped();
            succeeded += worker.stats().succeeded();
            worker.close();
        }
        assertThat(runs).hasSize(300);
        assertThat(runs.values()).allMatch(count -> count.get() == 1);
        assertThat(succeeded).isEqualTo(300);
        assertThat(queue.types().counts().get("email").byStatus()).containsEntry(JobStatus.SUCCESS, 300L);
    }

    @Test
    void a_document_put_by_hand_with_nothing_but_data_is_run() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> data.path("to"))
                .start()) {
            queue.database().put(Jobs.json("{'_id':'job:email:42','data':{'to':'curl'}}"));
            assertThat(TestQueue.finished(queue, "email", "42")
                            .result()
                            .orElseThrow()
                            .asText())
                    .isEqualTo("curl");
            assertThat(worker.id()).isNotBlank();
        }
    }

    @Test
    void a_failing_job_is_retried_and_then_failed() throws Exception {
        retryAtOnce("email", 2);
        AtomicInteger runs = new AtomicInteger();
        BlockingQueue<Boolean> last = new LinkedBlockingQueue<>();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    last.add(context.isLastRetry());
                    throw new IllegalStateException("run " + runs.incrementAndGet());
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(job.status()).isEqualTo(JobStatus.FAILED);
            assertThat(job.errors()).hasSize(3);
            assertThat(job.errors().get(2).message())
                    .contains("IllegalStateException")
                    .contains("run 3");
            assertThat(job.errors().get(2).stack().orElseThrow()).contains("WorkingTest");
            assertThat(last).containsExactly(false, false, true);
            TestQueue.until(() -> worker.stats().failed() == 1 && worker.stats().retried() == 2);
        }
    }

    @Test
    void a_permanent_failure_and_data_that_does_not_fit_are_not_retried() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", Email.class, (email, context) -> {
                    throw new PermanentJobException("no such mailbox");
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(new Email("x")).build());
            queue.add(JobRequest.builder("email")
                    .id("2")
                    .data(Map.of("to", List.of()))
                    .build());
            assertThat(TestQueue.finished(queue, "email", "1").errors().get(0).message())
                    .isEqualTo("no such mailbox");
            assertThat(TestQueue.finished(queue, "email", "2").errors().get(0).message())
                    .contains("Email");
            assertThat(queue.get("email", "2").orElseThrow().attempt()).isEqualTo(1);
            assertThat(worker.stats().retried()).isZero();
        }
    }

    @Test
    void an_error_in_a_handler_fails_its_own_job_and_nothing_else() throws Exception {
        retryAtOnce("email", 0);
        try (Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    if (data.has("deadly")) {
                        throw new OutOfMemoryError("not really");
                    }
                    return "alive";
                })
                .start()) {
            queue.add(JobRequest.builder("email")
                    .id("1")
                    .data(Map.of("deadly", true))
                    .build());
            assertThat(TestQueue.finished(queue, "email", "1").errors().get(0).message())
                    .contains("OutOfMemoryError");
            queue.add(JobRequest.builder("email").id("2").data(Map.of()).build());
            assertThat(TestQueue.finished(queue, "email", "2").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().failed()).isEqualTo(1);
        }
    }

    @Test
    void jobs_of_a_dead_owner_are_run_by_another_worker_after_the_timeout_of_their_type() throws Exception {
        queue.types().setTimeout("email", Duration.ofMillis(800));
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        Instant died = Instant.now(); // or a moment later
        ClaimedJob dead = queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> context.fence())
                .start()) {
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(Duration.between(died, Instant.now())).isGreaterThan(Duration.ofMillis(700));
            // A machine that stands still for as long as the timeout may cost the second owner its lease, too.
            assertThat(job.result().orElseThrow().asLong()).isGreaterThanOrEqualTo(2);
            assertThat(job.expirations()).isPositive();
            assertThat(job.errors()).extracting(JobError::kind).containsOnly(JobError.Kind.EXPIRED);
            assertThatThrownBy(() -> dead.finish("late")).isInstanceOf(HaltException.class);
            TestQueue.until(() -> worker.stats().succeeded() == 1);
        }
    }

    @Test
    void a_run_longer_than_the_timeout_keeps_its_lease() throws Exception {
        Duration timeout = Duration.ofMillis(1500);
        queue.types().setTimeout("email", timeout);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger stolen = new AtomicInteger();
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker owner = time.worker()
                        .handler("email", (data, context) -> {
                            running.countDown();
                            end.await();
                            return "long";
                        })
                        .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            running.await();
            try (Worker thief = time.worker()
                    .handler("email", (data, context) -> stolen.incrementAndGet())
                    .start()) {
                time.outlast(timeout, owner);
                end.countDown();
                Job job = TestQueue.finished(queue, "email", "1");
                assertThat(job.result().orElseThrow().asText()).isEqualTo("long");
                assertThat(job.expirations()).isZero();
                assertThat(stolen).hasValue(0);
                assertThat(thief.stats().recovered()).isZero();
                TestQueue.until(() -> owner.stats().succeeded() == 1);
            }
        }
    }

    @Test
    void a_worker_that_restarts_with_its_id_takes_its_own_jobs_back_at_once() throws Exception {
        queue.types().setTimeout("email", Duration.ofHours(1));
        queue.database()
                .put(Jobs.json("{'_id':'job:email:1','status':'running','data':{},'attempt':1,'fence':1,"
                        + "'lock':{'token':'old','worker':'w1','since':1}}"));
        try (Worker worker = queue.worker()
                .id("w1")
                .handler("email", (data, context) -> "again")
                .start()) {
            assertThat(TestQueue.finished(queue, "email", "1")
                            .result()
                            .orElseThrow()
                            .asText())
                    .isEqualTo("again");
            TestQueue.until(() -> worker.stats().recovered() == 1);
        }
    }

    @Test
    void a_cancelled_job_is_interrupted_and_ends_cancelled() throws Exception {
        EndlessHandler handler = new EndlessHandler();
        try (Worker worker = queue.worker().handler("email", handler).start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            handler.awaitStart();
            queue.cancel("email", "1", CancelMode.REQUEST);
            assertThat(TestQueue.finished(queue, "email", "1").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(handler.stopped(30)).contains(JobContext.StopReason.CANCELLED);
            TestQueue.until(() -> worker.stats().cancelled() == 1);
        }
    }

    @Test
    void a_removed_job_is_interrupted_and_nothing_is_stored() throws Exception {
        EndlessHandler handler = new EndlessHandler();
        try (Worker worker = queue.worker().handler("email", handler).start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            handler.awaitStart();
            queue.remove("email", "1");
            assertThat(handler.stopped(30)).contains(JobContext.StopReason.HALTED);
            TestQueue.until(() -> worker.stats().halted() == 1);
            assertThat(queue.get("email", "1")).isEmpty();
        }
    }

    @Test
    void a_run_over_its_time_limit_is_killed_and_retried() throws Exception {
        retryAtOnce("email", 1);
        AtomicInteger runs = new AtomicInteger();
        try (Worker worker = queue.worker()
                .timeLimit(Duration.ofSeconds(2))
                .handler("email", (data, context) -> {
                    if (runs.incrementAndGet() == 1) {
                        new CountDownLatch(1).await();
                    }
                    return "quick";
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.errors()).extracting(JobError::kind).containsExactly(JobError.Kind.KILLED);
            TestQueue.until(() -> worker.stats().retried() == 1);
        }
    }

    @Test
    void a_handler_that_ignores_interrupts_loses_its_job_and_its_late_result_is_refused(TestDatabase database)
            throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        try (Worker worker = queue.worker()
                .concurrency(2)
                .handler("email", (data, context) -> {
                    if (runs.incrementAndGet() > 1) {
                        return "second";
                    }
                    running.countDown();
                    boolean ended = false;
                    while (!ended) {
                        try {
                            end.await();
                            ended = true;
                        } catch (InterruptedException ignored) {
                            // That is what this test is about.
                        }
                    }
                    return "first";
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            running.await();
            // Somebody else takes the lock away, and dies.
            var document = queue.get("email", "1").orElseThrow().toDocument();
            document.put("fence", 5);
            ((com.fasterxml.jackson.databind.node.ObjectNode) document.get("lock")).put("token", "other");
            queue.database().put(document);
            queue.types().setTimeout("email", Duration.ofSeconds(1));
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(job.result().orElseThrow().asText()).isEqualTo("second");
            long halted = worker.stats().halted();
            end.countDown();
            TestQueue.until(() -> worker.stats().halted() > halted);
            assertThat(queue.get("email", "1").orElseThrow().rev()).isEqualTo(job.rev());
        }
    }

    @Test
    void closing_lets_running_jobs_finish() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    running.countDown();
                    end.await();
                    return "done";
                })
                .start();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        running.await();
        Thread closer = new Thread(worker::close);
        closer.start();
        end.countDown();
        closer.join();
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void closing_gives_back_jobs_that_do_not_end_in_time() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return null;
                })
                .start();
        queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
        running.await();
        worker.close(Duration.ofMillis(100));
        Job job = queue.get("email", "1").orElseThrow();
        assertThat(job.status()).isEqualTo(JobStatus.WAITING);
        assertThat(job.attempt()).isZero();
    }

    @Test
    void a_worker_stops_after_as_many_jobs_as_it_was_told() throws Exception {
        for (int i = 0; i < 5; i++) {
            queue.add("email", Map.of());
        }
        try (Worker worker = queue.worker()
                .concurrency(4)
                .maxJobs(3)
                .handler("email", (d, c) -> null)
                .start()) {
            worker.awaitStopped();
            assertThat(worker.stats().claimed()).isEqualTo(3);
        }
        assertThat(queue.types().counts().get("email").byStatus()).containsEntry(JobStatus.WAITING, 2L);
    }

    @Test
    void a_handler_can_have_its_job_run_once_more() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    if (runs.incrementAndGet() == 1) {
                        context.resubmit(Instant.EPOCH);
                    }
                    return runs.get();
                })
                .start()) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            assertThat(TestQueue.finished(queue, "email", "1")
                            .result()
                            .orElseThrow()
                            .asInt())
                    .isEqualTo(2);
            TestQueue.until(() -> worker.stats().released() == 1);
        }
    }

    @Test
    void no_run_sees_the_thread_locals_of_others() throws Exception {
        InheritableThreadLocal<String> leak = new InheritableThreadLocal<>();
        leak.set("leaked");
        List<String> leaked = new java.util.concurrent.CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            queue.add("email", Map.of());
        }
        try (Worker worker = queue.worker()
                .concurrency(1)
                .untilEmpty()
                .handler("email", (data, context) -> {
                    leaked.add(String.valueOf(leak.get()));
                    leak.set("by a job");
                    return null;
                })
                .start()) {
            TestQueue.until(() -> worker.stats().succeeded() == 3);
        }
        assertThat(leaked).hasSize(3).containsOnly("null");
    }

    @Test
    void a_worker_without_handlers_or_with_bad_options_does_not_start() {
        assertThatThrownBy(() -> queue.worker().concurrency(0).maxJobs(0).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("handler")
                .hasMessageContaining("concurrency")
                .hasMessageContaining("maxJobs");
    }

    private void retryAtOnce(String type, int retries) {
        queue.types()
                .change(
                        type,
                        settings -> settings.withRetryPolicy(new RetryPolicy(retries, Duration.ZERO, Duration.ZERO)));
    }
}
