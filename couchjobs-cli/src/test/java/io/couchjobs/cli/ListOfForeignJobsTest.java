package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs of programs that do not write all times. */
@ServerTest
@Timeout(120)
class ListOfForeignJobsTest {
    @Test
    void a_job_that_does_not_say_when_it_ended_or_was_created_is_listed_by_the_times_that_it_says(
            TestDatabase database) {
        Instant now = Instant.now();
        ObjectNode ended = job("ended").put("status", "failed");
        ended.putObject("times").put("started", now.minusSeconds(30).toEpochMilli());
        ObjectNode scheduled = job("scheduled")
                .put("scheduledTime", now.plus(Duration.ofHours(1)).toEpochMilli());
        try (JobQueue queue = TestShell.queue(database)) {
            queue.operations().init();
            queue.database().bulkDocs(List.of(ended, scheduled));
        }
        TestShell shell = TestShell.at(database);
        assertThat(shell.run("list", "--status", "failed", "--since", "1h", "-o", "id")
                        .out())
                .contains("ended");
        assertThat(shell.run("list", "--type", "email", "--since", "1h", "-o", "id")
                        .out())
                .contains("scheduled");
    }

    private static ObjectNode job(String id) {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("_id", "job:email:" + id);
        job.putObject("data");
        return job;
    }
}
