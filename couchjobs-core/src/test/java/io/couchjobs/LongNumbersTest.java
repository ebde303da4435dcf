package io.couchjobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobRequest;
import io.couchjobs.testing.ServerTest;
import io.couchjobs.testing.TestQueue;
import io.couchjobs.worker.Worker;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** CouchDB keeps integers of any length as they are. */
@ServerTest
class LongNumbersTest {
    private static final BigInteger LONG = BigInteger.TEN.pow(5_000);

    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase database) {
        assumeTrue(!database.serverName().contains("PouchDB"), "PouchDB Server keeps numbers as doubles");
        queue = TestQueue.open(database);
    }

    @AfterEach
    void close() {
        if (queue != null) {
            queue.close();
        }
    }

    @Test
    void a_job_with_a_number_of_5000_digits_is_run_and_stops_no_other() throws Exception {
        add("long", Map.of("n", LONG));
        add("other", Map.of());
        try (Worker worker = queue.worker()
                .handler("math", ObjectNode.class, (data, context) -> null)
                .start()) {
            assertThat(TestQueue.finished(queue, "math", "other").status().json())
                    .isEqualTo("success");
            Job done = TestQueue.finished(queue, "math", "long");
            assertThat(done.data().path("n").bigIntegerValue()).isEqualTo(LONG);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    @Test
    void a_result_of_5000_digits_is_told_and_listed() throws Exception {
        add("1", Map.of());
        try (Worker worker = queue.worker()
                .handler("math", ObjectNode.class, (data, context) -> LONG)
                .start()) {
            Job done = TestQueue.finished(queue, "math", "1");
            assertThat(done.result().orElseThrow().bigIntegerValue()).isEqualTo(LONG);
            assertThat(queue.list(JobFilter.all(), 10)).hasSize(1);
            assertThat(worker.stats().failed()).isZero();
        }
    }

    private void add(String id, Map<String, Object> data) {
        queue.add(JobRequest.builder("math").id(id).data(data).build());
    }
}
