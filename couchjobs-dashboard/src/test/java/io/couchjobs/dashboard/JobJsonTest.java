package io.couchjobs.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.Job;
import org.junit.jupiter.api.Test;

/** Jobs as the pages see them. */
class JobJsonTest {
    @Test
    void a_job_that_has_ended_waits_for_no_others() throws Exception {
        assertThat(summary("waiting").path("held").asBoolean()).isTrue();
        assertThat(summary("cancelled").path("held").asBoolean()).isFalse();
        assertThat(summary("success").path("held").asBoolean()).isFalse();
    }

    private static ObjectNode summary(String status) throws Exception {
        return JobJson.summary(Job.parse(Call.JSON.readTree("{\"_id\":\"job:email:1\",\"status\":\"" + status
                + "\",\"after\":{\"jobs\":[\"job:report:1\"],\"onFailure\":\"cancel\"}}")));
    }
}
