package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.embedded.Faults;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Progress;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.SteppedWorkers;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@SuppressWarnings("try")
@Execution(ExecutionMode.CONCURRENT)
class HardCasesTest extends FaultyServer {
    private static final Duration SHORT = Duration.ofMillis(1500);

    private static boolean bulk(Faults.Request r) {
        return r.path().endsWith("/_bulk_docs");
    }

    @Test
    void a_finish_after_an_update_whose_answer_was_lost_is_stored() throws Exception {
        add("email", "1");
        ClaimedJob claim = queue.accept(AcceptOptions.of("email")).get(0);
        couch.faults().loseAnswer(1, HardCasesTest::bulk);
        couch.faults().cut(8, r -> r.path().endsWith("/_bulk_get"));
        assertThatThrownBy(() -> claim.update(new Progress(50, "half"))).isInstanceOf(RuntimeException.class);
        couch.faults().clear();
        Job finished = claim.finish("done");
        assertThat(finished.status()).isEqualTo(JobStatus.SUCCESS);
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
    }

    @Test
    void an_exception_that_cannot_tell_its_message_fails_its_own_job_and_takes_no_slot_with_it() throws Exception {
        add("email", "1");
        add("email", "2");
        try (Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (data, context) -> {
                    if (context.id().id().equals("1")) {
                        throw new PermanentlyMute();
                    }
                    return null;
                })
                .start()) {
            TestQueue.until(
                    () -> worker.stats().succeeded() == 1 && worker.stats().retried() == 1);
        }
        assertThat(queue.get("email", "1").orElseThrow().errors())
                .singleElement()
                .satisfies(error -> assertThat(error.message()).contains("PermanentlyMute"));
    }

    private static final class PermanentlyMute extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    @Test
    void a_worker_whose_feed_is_down_does_not_expire_its_own_living_jobs() throws Exception {
        queue.types().setTimeout("email", SHORT);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        add("email", "1");
        couch.faults().answer(1_000_000, r -> r.path().endsWith("/_changes"), 503);
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker worker = time.worker()
                        .concurrency(2)
                        .handler("email", (d, c) -> {
                            runs.incrementAndGet();
                            end.await();
                            return null;
                        })
                        .start()) {
            TestQueue.until(() -> runs.get() == 1);
            time.outlast(SHORT, worker);
            end.countDown();
            TestQueue.until(() -> worker.stats().succeeded() == 1);
            assertThat(worker.stats().recovered()).isZero();
            assertThat(runs.get()).isEqualTo(1);
        }
    }

    @Test
    void a_handler_that_asks_for_its_job_hears_of_a_cancellation_while_the_feed_is_down() throws Exception {
        add("email", "1");
        couch.faults().answer(1_000_000, r -> r.path().endsWith("/_changes"), 503);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch asks = new CountDownLatch(1);
        BlockingQueue<Optional<JobContext.StopReason>> reasons = new LinkedBlockingQueue<>();
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    running.countDown();
                    asks.await();
                    context.assertOwned();
                    reasons.add(context.stopReason());
                    new CountDownLatch(1).await();
                    return null;
                })
                .start()) {
            running.await();
            queue.cancel("email", "1", CancelMode.REQUEST);
            asks.countDown();
            assertThat(reasons.poll(30, TimeUnit.SECONDS)).contains(JobContext.StopReason.CANCELLED);
            TestQueue.until(() -> worker.stats().cancelled() == 1);
        }
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void a_job_of_a_short_timeout_keeps_its_lease_beside_one_of_a_long_timeout() throws Exception {
        queue.types().setTimeout("slow", Duration.ofSeconds(60));
        queue.types().setTimeout("fast", SHORT);
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch bothRun = new CountDownLatch(2);
        AtomicInteger fast = new AtomicInteger();
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker worker = time.worker()
                        .concurrency(3)
                        .handler("slow", (d, c) -> {
                            bothRun.countDown();
                            end.await();
                            return null;
                        })
                        .handler("fast", (d, c) -> {
                            fast.incrementAndGet();
                            bothRun.countDown();
                            end.await();
                            return null;
                        })
                        .start()) {
            add("slow", "1");
            add("fast", "1");
            bothRun.await();
            time.outlast(SHORT, worker);
            end.countDown();
            Job job = TestQueue.finished(queue, "fast", "1");
            assertThat(fast.get()).as("runs of the fast job; " + job.errors()).isEqualTo(1);
        }
    }

    @Test
    void a_write_that_hangs_does_not_keep_other_leases_from_running_out() throws Exception {
        JobQueue q = another(Duration.ofSeconds(1));
        BlockingQueue<Optional<JobContext.StopReason>> stopped = new LinkedBlockingQueue<>();
        CountDownLatch bothRun = new CountDownLatch(2);
        Worker worker = q.worker()
                .concurrency(2)
                .handler("email", (d, c) -> {
                    bothRun.countDown();
                    if (c.id().id().equals("hangs")) {
                        bothRun.await();
                        TestQueue.work(300);
                        c.progress(1, "x");
                    } else {
                        try {
                            TestQueue.work(20_000);
                        } catch (InterruptedException e) {
                            stopped.add(c.stopReason());
                            throw e;
                        }
                    }
                    return null;
                })
                .start();
        add("email", "hangs");
        add("email", "other");
        bothRun.await();
        // from now on the server does not answer any request: all leases must be given up after 1 s
        couch.faults().delay(10_000, r -> !r.path().endsWith("/_changes"));
        assertThat(stopped.poll(30, TimeUnit.SECONDS))
                .as("the handler is interrupted when its lease is over")
                .isNotNull();
        couch.faults().clear();
        worker.close(Duration.ofSeconds(1));
        q.close();
    }

    @Test
    void a_run_whose_job_was_overwritten_by_something_else_ends() throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (d, c) -> {
                    runs.countDown();
                    end.await();
                    return null;
                })
                .start();
        add("email", "1");
        runs.await();
        var document = queue.database().get("job:email:1").orElseThrow();
        document.put("priority", "urgent");
        queue.database().put(document);
        end.countDown();
        try {
            TestQueue.until(() -> worker.stats().running() == 0);
        } finally {
            worker.close(Duration.ofMillis(100));
        }
    }

    @Test
    @Timeout(60)
    void writing_after_the_queue_is_closed_fails_and_does_not_hang() throws Exception {
        JobQueue q = another(Duration.ofSeconds(60));
        q.close();
        assertThatThrownBy(() -> q.add("email", Map.of())).isInstanceOf(RuntimeException.class);
        Future<?> second = Executors.newSingleThreadExecutor(r -> {
                    Thread t = new Thread(r);
                    t.setDaemon(true);
                    return t;
                })
                .submit(() -> q.add("email", Map.of()));
        assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    }

    @Test
    void a_waiting_accept_without_schedule_does_not_spin() throws Exception {
        AtomicInteger views = new AtomicInteger();
        couch.faults().cut(1_000_000, r -> {
            if (r.path().contains("/_view/due")) views.incrementAndGet();
            return false;
        });
        Thread waiting = new Thread(() -> {
            try {
                queue.accept(AcceptOptions.of("email").noSchedule(true).timeout(Duration.ofSeconds(3)));
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        waiting.start();
        TestQueue.work(500);
        queue.add(JobRequest.builder("email")
                .id("timed")
                .data(Map.of())
                .scheduledTime(Instant.now().minusSeconds(5))
                .build());
        waiting.join();
        assertThat(views.get()).as("questions to the index within 3 s").isLessThan(50);
    }

    @Test
    void a_shorter_timeout_does_not_take_jobs_from_living_owners() throws Exception {
        queue.types()
                .setTimeout("email", Duration.ofMinutes(10)); // the renewal that it plans is later than anybody waits
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (SteppedWorkers time = new SteppedWorkers(queue);
                Worker worker = time.worker()
                        .concurrency(2)
                        .handler("email", (d, c) -> {
                            runs.incrementAndGet();
                            first.countDown();
                            end.await();
                            return null;
                        })
                        .start()) {
            add("email", "1");
            first.await();
            time.pass(SHORT.dividedBy(3));
            queue.types().setTimeout("email", SHORT);
            time.outlast(SHORT, worker);
            end.countDown();
            Job job = TestQueue.finished(queue, "email", "1");
            assertThat(runs.get()).as("runs; " + job.errors()).isEqualTo(1);
        }
    }

    @Test
    void an_error_of_a_listener_does_not_kill_the_feed() throws Exception {
        List<JobId> heard = new CopyOnWriteArrayList<>();
        queue.watch(JobFilter.all(), change -> {
            throw new AssertionError("a bug of the listener");
        });
        queue.watch(JobFilter.all(), change -> heard.add(change.id()));
        add("email", "1");
        TestQueue.until(() -> heard.contains(new JobId("email", "1")));
        add("email", "2");
        TestQueue.until(() -> heard.contains(new JobId("email", "2")));
    }

    @Test
    void a_job_cannot_be_moved_to_a_time_that_makes_it_malformed() {
        add("email", "1");
        try {
            queue.reschedule("email", "1", Instant.ofEpochMilli(9_000_000_000_000_000L));
        } catch (IllegalArgumentException right) {
            return;
        }
        assertThat(queue.get("email", "1")).isPresent();
    }

    @Test
    void settings_changed_before_the_feed_starts_are_seen() throws Exception {
        queue.types().setTimeout("email", Duration.ofSeconds(60)); // remembered here
        try (JobQueue other = another(Duration.ofSeconds(60))) {
            other.types().change("email", s -> s.withPaused(true));
        }
        add("email", "1");
        assertThat(queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(1))))
                .isEmpty();
    }

    @Test
    void a_timeout_of_for_ever_is_refused_or_works() throws Exception {
        JobQueue q;
        try {
            q = another(Duration.ofDays(366L * 1000));
        } catch (IllegalArgumentException right) {
            return;
        }
        Worker worker =
                q.worker().concurrency(1).handler("email", (d, c) -> null).start();
        add("email", "1");
        try {
            TestQueue.finished(queue, "email", "1");
        } finally {
            worker.close(Duration.ofMillis(100));
            q.close();
        }
    }

    @Test
    void a_halt_of_another_job_is_a_failure_of_this_one() throws Exception {
        add("other", "x");
        ClaimedJob other = queue.accept(AcceptOptions.of("other")).get(0);
        other.finish();
        Worker worker = queue.worker()
                .concurrency(1)
                .handler("email", (d, c) -> {
                    other.update();
                    return null;
                })
                .start();
        queue.add(
                JobRequest.builder("email").id("1").data(Map.of()).maxRetries(0).build());
        try {
            TestQueue.finished(queue, "email", "1");
        } finally {
            worker.close(Duration.ofMillis(100));
        }
    }

    @Test
    void awaiting_a_job_that_was_removed_and_added_again_works() throws Exception {
        Worker worker =
                queue.worker().concurrency(1).handler("email", (d, c) -> null).start();
        int notFound = 0;
        for (int i = 0; i < 200; i++) {
            add("email", "1");
            try {
                TestQueue.finished(queue, "email", "1");
            } catch (NotFoundException e) {
                notFound++;
            }
            queue.remove("email", "1");
        }
        worker.close();
        assertThat(notFound).isZero();
    }

    @Test
    void a_report_names_the_run() throws Exception {
        BlockingQueue<RunReport> reports = new LinkedBlockingQueue<>();
        AtomicBoolean again = new AtomicBoolean(true);
        Worker worker = queue.worker()
                .concurrency(1)
                .onRunEnded(reports::add)
                .handler("email", (d, c) -> {
                    if (again.getAndSet(false)) c.resubmit(Instant.EPOCH);
                    return null;
                })
                .start();
        add("email", "1");
        RunReport report = reports.poll(30, TimeUnit.SECONDS);
        worker.close();
        assertThat(report.attempt()).isEqualTo(1);
    }

    @Test
    void adding_again_at_the_same_time_writes_nothing() {
        Instant time = Instant.ofEpochSecond(2_000_000_000L, 123_456_789);
        JobRequest request = JobRequest.builder("email")
                .id("1")
                .data(Map.of())
                .scheduledTime(time)
                .build();
        queue.add(request);
        assertThat(queue.add(request).outcome()).isEqualTo(AddResult.Outcome.UNCHANGED);
    }
}
