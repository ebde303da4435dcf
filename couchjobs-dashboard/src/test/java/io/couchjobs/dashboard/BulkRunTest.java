package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.job.JobId;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How an order on many jobs ends. */
class BulkRunTest {
    @Test
    void an_order_that_fails_by_an_error_is_over_and_says_why() {
        BulkRun run = new BulkRun(1, "retry", id -> "waiting", () -> Stream.generate(BulkRunTest::none));
        run.run();
        assertThat(run.isDone()).isTrue();
        assertThat(run.json().path("problem").asText()).isEqualTo("no thread");
    }

    /** An OutOfMemoryError would end all tests. */
    private static JobId none() {
        throw new Error("no thread");
    }
}
