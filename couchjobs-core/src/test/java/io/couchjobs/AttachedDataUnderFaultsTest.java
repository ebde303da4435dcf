package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.FaultyServer;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.type.RetryPolicy;
import io.couchjobs.worker.Worker;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A copy that has not heard of a job's attached data yet refuses every write to that job with 412, which a cluster answers though
 * other copies may have stored the write.
 */
class AttachedDataUnderFaultsTest extends FaultyServer {
    private static final Map<String, String> LARGE = Map.of("text", "x".repeat(40_000));
    private static final int MISSING_STUB = 412;
    /** Long before the index is read again, which would bring back a job whose claim was lost. */
    private static final Duration SOON = Duration.ofSeconds(60);

    @BeforeEach
    void add() {
        queue.add(JobRequest.builder("email").id("1").data(LARGE).build());
    }

    @Test
    void a_change_is_made_though_a_copy_lacks_the_data_for_a_while() {
        refuse(6);
        assertThat(queue.reschedule("email", "1", Jobs.past(7)).scheduledTime()).isEqualTo(Jobs.past(7));
    }

    @Test
    void a_job_is_claimed_at_once_though_a_copy_lacks_the_data_for_a_moment() throws Exception {
        refuse(3);
        assertThat(claim().data().path("text").asText()).isEqualTo(LARGE.get("text"));
    }

    @Test
    void an_end_is_stored_as_it_is_though_a_copy_lacks_the_data_for_a_while() throws Exception {
        ClaimedJob claim = claim();
        refuse(6);
        assertThat(claim.finish("done").status()).isEqualTo(JobStatus.SUCCESS);
    }

    private void refuse(int times) {
        couch.faults().answer(times, request -> request.path().endsWith("/_bulk_docs"), MISSING_STUB);
    }

    private ClaimedJob claim() throws InterruptedException {
        return queue.accept(AcceptOptions.of("email").timeout(SOON)).get(0);
    }

    @Test
    void a_run_whose_data_cannot_be_read_though_the_server_is_there_fails() throws Exception {
        queue.types().change("email", type -> type.withTimeout(Duration.ofSeconds(3))
                .withRetryPolicy(new RetryPolicy(0, Duration.ofMillis(1), Duration.ofMillis(1))));
        couch.faults().answer(Integer.MAX_VALUE, request -> request.path().endsWith("/data.json"), 500);
        try (Worker worker =
                queue.worker().handler("email", (data, context) -> null).start()) {
            TestQueue.until(() -> worker.stats().failed() == 1);
        }
        couch.faults().clear();
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    }
}
