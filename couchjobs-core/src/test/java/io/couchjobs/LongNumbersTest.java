package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.InvalidJobDataException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import io.couchjobs.testing.OpenQueue;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** CouchDB stores integers as they are, and refuses a whole request for one beyond the largest double. */
@ServerTest
class LongNumbersTest extends OpenQueue {
    private static final BigInteger BEYOND = BigInteger.TWO.pow(1024).subtract(BigInteger.TWO.pow(970));
    private static final BigInteger LARGEST = BEYOND.subtract(BigInteger.ONE);

    @Test
    void the_largest_integer_goes_in_and_comes_out(TestDatabase database) throws Exception {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server keeps numbers as doubles");
        add("long", Map.of("n", LARGEST));
        add("other", Map.of());
        try (Worker worker = queue.worker()
                .handler("math", ObjectNode.class, (data, context) -> LARGEST.negate())
                .start()) {
            assertThat(TestQueue.finished(queue, "math", "other").status().json())
                    .isEqualTo("success");
            Job done = TestQueue.finished(queue, "math", "long");
            assertThat(done.data().path("n").bigIntegerValue()).isEqualTo(LARGEST);
            assertThat(done.result().orElseThrow().bigIntegerValue()).isEqualTo(LARGEST.negate());
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_larger_integer_is_refused_before_it_is_sent_with_others() {
        for (BigInteger huge : List.of(BEYOND, BEYOND.negate(), BigInteger.TEN.pow(5_000))) {
            assertThatThrownBy(() -> add("huge", Map.of("deep", List.of(huge))))
                    .isInstanceOf(InvalidJobDataException.class)
                    .hasMessageContaining("CouchDB stores numbers up to 1.8e308");
        }
    }

    @Test
    void a_run_whose_result_is_larger_fails_and_the_others_go_on() throws Exception {
        queue.add(JobRequest.builder("math")
                .id("huge")
                .data(Map.of("huge", true))
                .maxRetries(0)
                .build());
        add("other", Map.of());
        try (Worker worker = queue.worker()
                .handler("math", ObjectNode.class, (data, context) -> data.has("huge") ? BEYOND : BigInteger.ONE)
                .start()) {
            Job failed = TestQueue.finished(queue, "math", "huge");
            assertThat(failed.status()).isEqualTo(JobStatus.FAILED);
            assertThat(failed.document().toString()).contains("1.8e308");
            TestQueue.until(() -> worker.stats().failed() == 1);
            assertThat(TestQueue.finished(queue, "math", "other").status()).isEqualTo(JobStatus.SUCCESS);
        }
    }

    private void add(String id, Map<String, Object> data) {
        queue.add(JobRequest.builder("math").id(id).data(data).build());
    }
}
