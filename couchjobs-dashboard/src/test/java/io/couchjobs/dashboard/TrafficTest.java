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
}
