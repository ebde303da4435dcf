package io.couchjobs;

import static io.couchjobs.testing.TestQueue.until;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.After;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.RunReport;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Jobs that wait only to be ended, because their last owner died: the next claim ends them, and their handler is not called. */
@ServerTest
class JobsOnlyToEndTest extends OpenQueue {
    private static final String CANCELLED = "'endAs':'cancelled','cancelReason':'wrong customer'";
    private static final String FAILED = "'endAs':'failed','expirations':1";

    private final Queue<String> ran = new ConcurrentLinkedQueue<>();

    @Test
    void a_worker_cancels_one_that_was_to_be_cancelled() throws Exception {
        leave("a", CANCELLED);
        work("a");
        Job job = job("a");
        assertThat(job.status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(job.attempt()).as("runs").isEqualTo(1);
        assertThat(job.errors().get(0).message()).contains("its owner died", "wrong customer");
    }

    @SuppressWarnings("try")
    @Test
    void a_worker_that_claims_ahead_cancels_it_too() throws Exception {
        leave("a", CANCELLED);
        try (Worker unused = queue.worker()
                .handler("email", this::run)
                .concurrency(1)
                .prefetch(2)
                .start()) {
            until(() -> job("a").status() == JobStatus.CANCELLED);
        }
        assertThat(ran).isEmpty();
    }

    @Test
    void a_worker_fails_one_of_which_too_many_owners_died() throws Exception {
        leave("a", FAILED);
        work("a");
        Job job = job("a");
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.errors().get(0).kind()).isEqualTo(JobError.Kind.EXPIRED);
        assertThat(job.document().has("endAs")).isFalse();
    }

    @Test
    void a_drain_runs_what_waits_for_it() throws Exception {
        leave("a", CANCELLED);
        queue.add(JobRequest.builder("email")
                .id("b")
                .data(Map.of())
                .after(new JobId("email", "a"))
                .onFailure(After.OnFailure.RUN)
                .build());
        List<RunReport> reports = queue.worker().handler("email", this::run).drain();
        assertThat(reports)
                .extracting(RunReport::outcome)
                .containsExactly(RunReport.Outcome.CANCELLED, RunReport.Outcome.SUCCEEDED);
        assertThat(ran).containsExactly("b");
    }

    @Test
    void an_accept_by_hand_gets_the_next_job() throws Exception {
        leave("a", CANCELLED);
        queue.add(JobRequest.builder("email").id("b").data(Map.of()).build());
        ClaimedJob claimed = queue.accept(AcceptOptions.of("email").timeout(Duration.ofSeconds(20)))
                .get(0);
        assertThat(claimed.id()).isEqualTo(new JobId("email", "b"));
        until(() -> job("a").status() == JobStatus.CANCELLED);
        claimed.finish();
    }

    @Test
    void a_given_one_is_ended_and_not_handed_out() {
        leave("a", FAILED);
        assertThat(queue.claim(new JobId("email", "a"))).isEmpty();
        assertThat(job("a").status()).isEqualTo(JobStatus.FAILED);
    }

    @SuppressWarnings("try")
    @Test
    void one_that_is_retried_is_run() throws Exception {
        leave("a", FAILED);
        queue.retryNow(new JobId("email", "a"));
        try (Worker unused = queue.worker().handler("email", this::run).start()) {
            until(() -> job("a").status() == JobStatus.SUCCESS);
        }
    }

    @SuppressWarnings("try")
    private void work(String id) throws Exception {
        try (Worker unused = queue.worker().handler("email", this::run).start()) {
            until(() -> job(id).status().phase() == JobPhase.FINISHED);
        }
        assertThat(ran).isEmpty();
    }

    private Object run(ObjectNode data, JobContext context) {
        ran.add(context.id().id());
        return "done";
    }

    private void leave(String id, String fields) {
        queue.database()
                .bulkDocs(List.of(Jobs.json("{'_id':'job:email:" + id
                        + "','data':{},'status':'waiting','attempt':1,'fence':1," + fields + "}")));
    }

    private Job job(String id) {
        return queue.get("email", id).orElseThrow();
    }
}
