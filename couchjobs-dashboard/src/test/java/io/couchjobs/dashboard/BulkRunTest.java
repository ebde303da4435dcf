package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.JobId;
import java.util.stream.IntStream;
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

    @Test
    void a_reason_that_has_a_count_keeps_it_when_many_others_have_none() {
        Stream<JobId> jobs = IntStream.range(0, 60).mapToObj(i -> new JobId("email", "" + i));
        BulkRun run = new BulkRun(1, "retry", id -> "reason " + Integer.parseInt(id.id()) % 30, () -> jobs);
        run.run();
        JsonNode changed = run.json().path("changed");
        assertThat(changed).hasSize(21);
        assertThat(changed.path("other").asLong()).isEqualTo(20);
    }

    /** An OutOfMemoryError would end all tests. */
    private static JobId none() {
        throw new Error("no thread");
    }
}
