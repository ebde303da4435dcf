package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Which ends of runs are counted. */
class TrafficTest {
    private final Traffic traffic = new Traffic();

    @Test
    void ends_of_a_job_that_are_told_again_in_turn_count_once_each() throws IOException {
        for (int end : new int[] {50, 100, 50, 100}) {
            traffic.note(
                    "job:email:1", Call.JSON.readTree("{\"status\":\"stuck\",\"times\":{\"failed\":" + end + "}}"));
        }
        assertThat(traffic.tick(1_000).path("retried").asInt()).isEqualTo(2);
    }

    @Test
    void a_job_that_is_cancelled_while_it_waits_for_a_retry_took_no_time_and_one_that_is_cancelled_while_it_runs_did()
            throws IOException {
        String times = "{\"started\":100,\"finished\":900";
        traffic.note("job:email:1", Call.JSON.readTree("{\"status\":\"cancelled\",\"times\":" + times + "}}"));
        assertThat(traffic.tick(1_000).has("run")).isFalse();
        traffic.note(
                "job:email:2",
                Call.JSON.readTree("{\"status\":\"cancelled\",\"times\":" + times + ",\"stopped\":900}}"));
        assertThat(traffic.tick(2_000).path("run").toString()).contains("800");
    }

    @Test
    void a_job_that_was_retried_by_hand_has_waited_since_then() throws IOException {
        traffic.note(
                "job:email:1",
                Call.JSON.readTree("{\"status\":\"success\",\"attempt\":1,\"times\":"
                        + "{\"created\":100,\"retried\":5000,\"started\":5007,\"finished\":5008}}"));
        assertThat(traffic.tick(1_000).path("wait").toString()).contains("7").doesNotContain("4907");
    }
}
