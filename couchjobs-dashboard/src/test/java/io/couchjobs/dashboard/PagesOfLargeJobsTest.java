package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages of the HTTP API whose jobs have much data. */
@ServerTest
@Timeout(120)
class PagesOfLargeJobsTest extends OpenDashboard {
    @Test
    void a_page_ends_early_where_its_jobs_have_much_data() throws Exception {
        for (int i = 0; i < 4; i++) {
            queue.add(JobRequest.builder("email")
                    .id("" + i)
                    .data(Map.of("text", "x".repeat(6_000_000)))
                    .build());
        }
        try (Dashboard api = Dashboard.of(queue).api().listen("127.0.0.1", 0)) {
            Program program = new Program(api.url());
            JsonNode first = program.get("/jobs?type=email").json();
            assertThat(first.path("jobs")).hasSize(3);
            JsonNode second = program.get(
                            "/jobs?type=email&after=" + first.path("next").asText())
                    .json();
            assertThat(second.path("jobs")).hasSize(1);
            assertThat(second.path("next").isNull()).isTrue();
            Set<String> ids = new TreeSet<>(first.findValuesAsText("id"));
            ids.addAll(second.findValuesAsText("id"));
            assertThat(ids).containsExactly("0", "1", "2", "3");
        }
    }
}
