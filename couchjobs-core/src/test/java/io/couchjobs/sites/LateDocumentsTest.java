package io.couchjobs.sites;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What two databases did without each other meets: out of order, twice, days late. */
@ServerTest
class LateDocumentsTest extends TwoDatabases {
    @Test
    void documents_may_arrive_in_any_order_twice_or_late() throws Exception {
        long seed = System.nanoTime();
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        Replication toOslo = new Replication(munich, munich.name(), oslo.name());
        List<Job> added = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            added.add(here.insert(email("step" + i).site("oslo").build()));
        }
        here.add(email("last")
                .site("oslo")
                .after(added.get(0).id())
                .after(added.get(3).id())
                .build());
        var late = toOslo.all();
        toOslo.runInDisorder(seed);
        ConcurrentLinkedQueue<String> runs = new ConcurrentLinkedQueue<>();
        try (Worker worker = worker(there, runs)) {
            assertThat(worker.id()).isNotBlank();
            TestQueue.finished(there, "email", "last");
            TestQueue.until(() -> finished(there) == 5);
            new Replication(munich, oslo.name(), munich.name()).runInDisorder(seed);
            toOslo.deliver(late);
            toOslo.runInDisorder(seed + 1);
            there.remove("email", "step1");
            toOslo.deliver(late);
            there.add(email("sentinel").build());
            TestQueue.finished(there, "email", "sentinel");
        }
        assertThat(runs).as("seed %s", seed).hasSize(6).doesNotHaveDuplicates();
        assertThat(there.get("email", "step1")).as("what was removed stays so").isEmpty();
        assertThat(finished(here)).isEqualTo(5);
    }

    @Test
    void two_creators_of_one_id_have_the_same_winner_everywhere_and_the_job_runs_once() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").data(Map.of("by", "munich")).build());
        there.add(email("1").data(Map.of("by", "oslo")).build());
        replicate();
        TestQueue.until(() -> here.operations().conflicts().equals(List.of("job:email:1")));
        assertThat(accepted(here)).isEmpty();
        assertThat(accepted(there)).isEmpty();
        assertThat(here.operations().resolve("job:email:1")).isTrue();
        assertThat(there.operations().resolve("job:email:1")).isTrue();
        replicate();
        replicate();
        Job job = here.get("email", "1").orElseThrow();
        assertThat(job.rev()).isEqualTo(there.get("email", "1").orElseThrow().rev());
        assertThat(job.site()).contains(job.data().path("by").asText());
        TestQueue.until(() -> here.operations().conflicts().isEmpty());
        TestQueue.until(() -> there.operations().conflicts().isEmpty());
        List<String> claims = new ArrayList<>(accepted(here));
        claims.addAll(accepted(there));
        assertThat(claims).containsExactly("1");
    }

    @Test
    void a_change_that_comes_too_late_does_not_run_a_job_again() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").site("oslo").build());
        here.add(email("2").site("oslo").build());
        replicate();
        for (ClaimedJob claim : there.accept(AcceptOptions.of("email").max(10).timeout(Duration.ZERO))) {
            claim.finish("ran");
        }
        here.reschedule("email", "1", Instant.now().minusSeconds(5));
        here.reschedule("email", "1", Instant.now().minusSeconds(4));
        here.reschedule("email", "1", Instant.now().minusSeconds(3));
        here.cancel("email", "2", CancelMode.REQUEST);
        replicate();
        assertThat(here.operations().resolve("job:email:1"))
                .as("what runs elsewhere is resolved there")
                .isTrue();
        TestQueue.until(() -> here.operations().conflicts().size() == 2);
        for (String id : List.of("1", "2")) {
            assertThat(there.operations().resolve("job:email:" + id)).isTrue();
        }
        replicate();
        TestQueue.until(() -> here.operations().conflicts().isEmpty());
        assertThat(finished(here)).isEqualTo(2);
        assertThat(accepted(there)).isEmpty();
    }

    @Test
    void a_longer_branch_that_arrives_while_a_job_runs_neither_stops_it_nor_runs_it_again() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").site("oslo").build());
        ClaimedJob claim = claimWhatComesTo(there);
        for (int i = 1; i < 5; i++) {
            here.reschedule("email", "1", Instant.now().minusSeconds(60L * i));
        }
        replicate();
        TestQueue.until(() -> there.operations().conflicts().equals(List.of("job:email:1")));
        there.operations().resolve("job:email:1");
        assertThat(accepted(there)).isEmpty();
        claim.update(Map.of("half", "done"));
        assertThat(claim.finish("ran")).isNotNull();
        TestQueue.until(() -> {
            there.operations()
                    .resolve("job:email:1"); // on a cluster the copy that is read may not have heard of the end
            replicate();
            return finished(here) == 1;
        });
        for (JobQueue queue : List.of(here, there)) {
            Job job = queue.get("email", "1").orElseThrow();
            assertThat(job.status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(job.data().path("half").asText()).isEqualTo("done");
            TestQueue.until(() -> queue.operations().conflicts().isEmpty());
            assertThat(accepted(queue)).isEmpty();
        }
    }

    @Test
    void a_removal_elsewhere_holds_when_it_comes_before_the_claim_and_is_lost_when_it_comes_after() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("early").site("oslo").build());
        here.add(email("late")
                .site("oslo")
                .scheduledTime(Instant.now().plusSeconds(3600))
                .build());
        replicate();
        List<ObjectNode> before = new Replication(munich, oslo.name(), munich.name()).all();
        here.remove("email", "early");
        replicate();
        assertThat(accepted(there)).isEmpty();
        there.reschedule("email", "late", Instant.now().minusSeconds(1));
        ClaimedJob claim = claim(there);
        here.remove("email", "late");
        replicate();
        claim.finish("ran");
        replicate();
        new Replication(munich, oslo.name(), munich.name()).deliver(before);
        new Replication(munich, munich.name(), oslo.name()).deliver(before);
        for (JobQueue queue : List.of(here, there)) {
            assertThat(queue.get("email", "early")).isEmpty();
            assertThat(queue.get("email", "late").orElseThrow().status()).isEqualTo(JobStatus.SUCCESS);
            assertThat(accepted(queue)).isEmpty();
        }
    }

    @Test
    void two_creators_of_one_id_whose_jobs_both_ran_before_they_met_leave_one_result() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").build());
        there.add(email("1").build());
        ClaimedJob first = claim(here);
        ClaimedJob second = claim(there);
        replicate();
        resolveAt(here, there);
        first.finish("munich's");
        replicate();
        resolveAt(here, there);
        replicate();
        // An owner beside an end stays: nobody can tell which of the two claims counts.
        second.finish("oslo's");
        replicate();
        resolveAt(here, there);
        replicate();
        resolveAt(here, there);
        replicate();
        JsonNode left = here.get("email", "1").orElseThrow().result().orElseThrow();
        assertThat(left.asText()).isIn("munich's", "oslo's");
        for (JobQueue queue : List.of(here, there)) {
            assertThat(queue.get("email", "1").orElseThrow().result()).contains(left);
            TestQueue.until(() -> queue.operations().conflicts().isEmpty());
            assertThat(accepted(queue)).isEmpty();
        }
    }

    @Test
    void a_job_that_runs_is_cancelled_from_elsewhere_and_can_be_retried_from_there() throws Exception {
        JobQueue here = named(munich, "munich");
        JobQueue there = named(oslo, "oslo");
        here.add(email("1").site("oslo").build());
        replicate();
        CountDownLatch begun = new CountDownLatch(1);
        try (Worker worker = there.worker()
                .handler("email", (job, context) -> {
                    begun.countDown();
                    new CountDownLatch(1).await();
                    return "ran";
                })
                .start()) {
            TestQueue.until(() -> {
                replicate(); // on a cluster the copy that was read before may not have heard of the job
                return begun.await(100, TimeUnit.MILLISECONDS);
            });
            replicate();
            assertThat(here.cancel("email", "1", CancelMode.REQUEST)).isEqualTo(CancelResult.REQUESTED);
            replicate();
            assertThat(TestQueue.finished(there, "email", "1").status()).isEqualTo(JobStatus.CANCELLED);
            assertThat(worker.id()).endsWith("@oslo");
        }
        replicate();
        assertThat(here.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        here.retryNow("email", "1");
        assertThat(accepted(here)).isEmpty();
        replicate();
        assertThat(accepted(there)).containsExactly("1");
    }

    private static ClaimedJob claim(JobQueue queue) throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(TestQueue.PATIENCE))
                .get(0);
    }

    /** On a cluster the copy that is replicated may not have heard of the job. */
    private ClaimedJob claimWhatComesTo(JobQueue queue) throws Exception {
        List<ClaimedJob> claims = new ArrayList<>();
        TestQueue.until(() -> {
            replicate();
            claims.addAll(queue.accept(AcceptOptions.of("email").timeout(Duration.ZERO)));
            return !claims.isEmpty();
        });
        return claims.get(0);
    }

    private static void resolveAt(JobQueue... queues) {
        for (JobQueue queue : queues) {
            queue.operations().resolve("job:email:1");
        }
    }
}
