package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.embedded.Faults;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RunsAgainMeanwhileTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void a_job_of_a_cancelled_group_of_failures_that_runs_again_is_left_alone() throws Exception {
        JobId id = new JobId("email", "1");
        try (EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
                JobQueue queue = open(couch);
                JobQueue others = open(couch);
                Dashboard dashboard = Dashboard.of(queue).listen("127.0.0.1", 0)) {
            others.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            claimed(others).fail(JobError.Kind.FAILED, "no answer", null, false);
            Browser browser = new Browser(dashboard.url());
            String group = browser.json("failures").at("/groups/0/group").asText();
            Faults.Held cancelling =
                    couch.faults().delay(1, request -> request.path().matches(".*job(:|%3A)email(:|%3A)1"));

            browser.post("bulk", Map.of("action", "cancel", "failures", group));
            assertThat(cancelling.awaitArrival(30)).isTrue();
            others.retryNow(id);
            claimed(others);
            cancelling.release();

            Chrome.until("the order ends", PATIENCE, () -> browser.json("bulk")
                    .path("done")
                    .asBoolean());
            JsonNode bulk = browser.json("bulk");
            assertThat(bulk.at("/refused/is not stuck any more; nothing was written")
                            .asInt())
                    .as(bulk.toString())
                    .isEqualTo(1);
            Job job = queue.get(id).orElseThrow();
            assertThat(job.status()).isEqualTo(JobStatus.RUNNING);
            assertThat(job.isCancelRequested()).isFalse();
        }
    }

    private static JobQueue open(EmbeddedCouch couch) {
        return JobQueue.builder(couch.url() + "jobs").renewLeases(false).open();
    }

    private static ClaimedJob claimed(JobQueue queue) throws Exception {
        return queue.accept(AcceptOptions.of("email").timeout(PATIENCE)).get(0);
    }
}
