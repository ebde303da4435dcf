package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.PermanentJobException;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that wait for other jobs, and batches. */
@ServerTest
class HeldJobsTest extends OpenQueue {
    private static final JobId LAST = new JobId("report", "last");

    @Test
    void a_held_job_is_pending_and_nobody_can_claim_it() throws Exception {
        queue.add(after(new JobId("email", "1")));
        assertThat(queue.accept(AcceptOptions.of("report").timeout(Duration.ZERO)))
                .isEmpty();
        assertThat(queue.get("report", "last").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(queue.types().pendingCount("report", java.time.Instant.now(), 10))
                .isZero();
        queue.retryNow("report", "last");
        assertThat(queue.accept(AcceptOptions.of("report").timeout(TestQueue.PATIENCE)))
                .hasSize(1);
    }

    @Test
    void the_job_after_a_batch_runs_once_when_all_of_it_is_done() throws Exception {
        int many = 300;
        Set<String> done = ConcurrentHashMap.newKeySet();
        AtomicInteger reports = new AtomicInteger();
        List<Worker> workers = new ArrayList<>();
        for (int w = 0; w < 2; w++) {
            workers.add(queue.worker()
                    .concurrency(4)
                    .handler("email", (data, context) -> done.add(context.id().id()))
                    .handler("report", (data, context) -> {
                        reports.incrementAndGet();
                        return done.size();
                    })
                    .start());
        }
        List<JobRequest> batch = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            batch.add(JobRequest.builder("email").id("e" + i).data(Map.of()).build());
        }
        List<AddResult> added = queue.addBatch(
                batch, JobRequest.builder("report").id("last").data(Map.of()).build());
        assertThat(added).hasSize(many + 1).allMatch(result -> result.outcome() == AddResult.Outcome.ADDED);
        Job report = TestQueue.finished(queue, "report", "last");
        workers.forEach(Worker::close);
        assertThat(report.result().orElseThrow().asInt()).isEqualTo(many);
        assertThat(reports.get()).isEqualTo(1);
    }

    @Test
    void two_jobs_that_end_at_the_same_instant_let_the_third_go() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        try (Worker worker = queue.worker()
                .concurrency(3)
                .handler("email", (data, context) -> together.await())
                .handler("report", (data, context) -> "done")
                .start()) {
            for (int round = 0; round < 20; round++) {
                JobId one = new JobId("email", "one" + round);
                JobId other = new JobId("email", "other" + round);
                queue.addAll(List.of(
                        request(one),
                        request(other),
                        JobRequest.builder("report")
                                .id("r" + round)
                                .data(Map.of())
                                .after(one)
                                .after(other)
                                .build()));
                assertThat(TestQueue.finished(queue, "report", "r" + round).status())
                        .isEqualTo(JobStatus.SUCCESS);
            }
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_job_that_was_finished_before_is_not_waited_for_and_a_job_that_is_added_later_is() throws Exception {
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> null)
                .handler("report", (data, context) -> "done")
                .start()) {
            JobId early = new JobId("email", "early");
            JobId late = new JobId("email", "late");
            queue.add(request(early));
            TestQueue.finished(queue, "email", "early");
            queue.add(after(early, late));
            assertThat(queue.awaitFinished("report", "last", Duration.ofMillis(300)))
                    .isEmpty();
            queue.add(request(late));
            assertThat(TestQueue.finished(queue, "report", "last").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_worker_that_starts_later_lets_go_what_was_finished_while_there_was_none() throws Exception {
        JobId one = new JobId("email", "1");
        queue.add(request(one));
        queue.add(after(one));
        queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0)
                .finish();
        try (Worker worker =
                queue.worker().handler("report", (data, context) -> "done").start()) {
            assertThat(TestQueue.finished(queue, "report", "last").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.id()).isNotEmpty();
        }
    }

    enum Misfortune {
        FAILED,
        CANCELLED,
        REMOVED
    }

    @ParameterizedTest
    @EnumSource(Misfortune.class)
    void a_job_after_one_that_did_not_succeed_is_cancelled_run_or_kept_waiting_as_its_creator_wants(
            Misfortune misfortune) throws Exception {
        JobId one = new JobId("email", "1");
        JobId other = new JobId("email", "2");
        for (After.OnFailure policy : After.OnFailure.values()) {
            queue.add(JobRequest.builder("report")
                    .id(policy.json())
                    .data(Map.of())
                    .after(one)
                    .after(other)
                    .onFailure(policy)
                    .build());
        }
        try (Worker worker = queue.worker()
                .handler("email", (data, context) -> {
                    if (data.path("fail").asBoolean()) {
                        throw new PermanentJobException("no");
                    }
                    return null;
                })
                .handler("report", (data, context) -> "done")
                .start()) {
            befall(misfortune, one);
            assertThat(TestQueue.finished(queue, "report", "cancel").status()).isEqualTo(JobStatus.CANCELLED);
            queue.add(request(other));
            assertThat(TestQueue.finished(queue, "report", "run").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(queue.get("report", "wait").orElseThrow().after()).isPresent();
            queue.add(request(one));
            assertThat(TestQueue.finished(queue, "report", "wait").status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(worker.id()).isNotEmpty();
        }
    }

    private void befall(Misfortune misfortune, JobId id) throws InterruptedException {
        switch (misfortune) {
            case FAILED -> {
                queue.add(JobRequest.builder(id.type())
                        .id(id.id())
                        .data(Map.of("fail", true))
                        .build());
                TestQueue.finished(queue, id.type(), id.id());
            }
            case CANCELLED -> {
                queue.add(later(id));
                queue.cancel(id.type(), id.id(), CancelMode.IF_QUEUED);
            }
            case REMOVED -> {
                queue.add(later(id));
                queue.remove(id.type(), id.id());
            }
        }
    }

    @Test
    void a_chain_of_jobs_runs_in_order_and_is_cancelled_as_one() throws Exception {
        List<String> order = new ArrayList<>();
        try (Worker worker = queue.worker()
                .concurrency(1)
                .handler("step", (data, context) -> {
                    if (context.id().id().equals("bad")) {
                        throw new PermanentJobException("no");
                    }
                    return order.add(context.id().id());
                })
                .start()) {
            queue.addAll(List.of(step("c", "b"), step("b", "a"), step("z", "y"), step("y", "bad")));
            queue.addAll(List.of(
                    JobRequest.builder("step").id("a").data(Map.of()).build(),
                    JobRequest.builder("step").id("bad").data(Map.of()).build()));
            TestQueue.finished(queue, "step", "c");
            assertThat(TestQueue.finished(queue, "step", "z").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(worker.id()).isNotEmpty();
        }
        assertThat(order).containsExactly("a", "b", "c");
    }

    @Test
    void a_batch_without_jobs_is_refused() {
        assertThatThrownBy(() -> queue.addBatch(List.of(), after(LAST)).forEach(result -> {}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(queue.get("report", "last")).isEmpty();
    }

    private static JobRequest step(String id, String after) {
        return JobRequest.builder("step")
                .id(id)
                .data(Map.of())
                .after(new JobId("step", after))
                .build();
    }

    private static JobRequest request(JobId id) {
        return JobRequest.builder(id.type()).id(id.id()).data(Map.of()).build();
    }

    private static JobRequest later(JobId id) {
        return JobRequest.builder(id.type())
                .id(id.id())
                .data(Map.of())
                .scheduledTime(java.time.Instant.parse("2100-01-01T00:00:00Z"))
                .build();
    }

    private static JobRequest after(JobId... jobs) {
        JobRequest.Builder report =
                JobRequest.builder(LAST.type()).id(LAST.id()).data(Map.of());
        for (JobId job : jobs) {
            report.after(job);
        }
        return report.build();
    }
}
