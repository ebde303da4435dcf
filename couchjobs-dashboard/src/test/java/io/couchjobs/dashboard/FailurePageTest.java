package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class FailurePageTest extends OpenDashboard {
    @Test
    void of_very_many_groups_the_latest_are_told_and_how_many_more_there_are() throws Exception {
        for (int i = 0; i < 203; i++) {
            ObjectNode job =
                    Call.JSON.createObjectNode().put("_id", "job:mail:" + i).put("status", "failed");
            job.putArray("errors")
                    .addObject()
                    .put("attempt", 1)
                    .put("at", 1_700_000_000_000L + i)
                    .put("message", "x".repeat(i % 100) + "y".repeat(i / 100));
            queue.database().put(job);
        }
        JsonNode failures = browser.json("failures");
        assertThat(failures.path("groups")).hasSize(200);
        assertThat(failures.at("/groups/0/example").asText()).isEqualTo("202");
        assertThat(failures.path("more").asInt()).isEqualTo(3);
    }
}
