package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class FailurePageTest extends OpenDashboard {
    @Test
    void the_latest_of_very_many_groups_are_told_and_how_many_more_there_are() throws Exception {
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

    @Test
    void jobs_that_fail_again_while_their_group_is_retried_are_retried_once() throws Exception {
        add("failed");
        fail(true);
        add("stuck");
        fail(false);
        FailurePage page = new FailurePage(queue);
        String group = page.json().at("/groups/0/group").asText();

        Stream<JobId> retried = page.jobs(group, "retry").peek(this::retryInVain);

        assertThat(retried.map(JobId::id)).containsExactlyInAnyOrder("failed", "stuck");
    }

    private void add(String id) {
        queue.add(JobRequest.builder("email").id(id).data(Map.of()).build());
    }

    private void retryInVain(JobId id) {
        queue.retryNow(id);
        fail(false);
    }

    private void fail(boolean permanent) {
        try {
            queue.accept(AcceptOptions.of("email").timeout(PATIENCE))
                    .get(0)
                    .fail(JobError.Kind.FAILED, "no answer", null, permanent);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
