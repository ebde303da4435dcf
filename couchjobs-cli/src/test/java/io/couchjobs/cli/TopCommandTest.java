package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class TopCommandTest {
    @Test
    void without_a_terminal_it_is_shown_once(TestDatabase database) throws Exception {
        TestShell shell = TestShell.at(database);
        try (JobQueue queue = TestShell.queue(database)) {
            queue.add(JobRequest.builder("email").id("1").data(Map.of()).build());
            queue.accept(AcceptOptions.of("email")).get(0).fail(JobError.Kind.FAILED, "no such mailbox", null, true);
            queue.add(JobRequest.builder("report").id("1").data(Map.of()).build());
            queue.types().change("report", settings -> settings.withPaused(true));
        }

        TestShell.Said text = shell.run("top");
        JsonNode json = shell.run("top", "-o", "json").json();

        assertThat(text.exitCode()).isZero();
        assertThat(text.out())
                .contains("report (paused)", "email:1", "no such mailbox")
                .doesNotContain("\u001b");
        assertThat(json.at("/types/report/paused").asBoolean()).isTrue();
        assertThat(json.at("/types/email/failed").asInt()).isEqualTo(1);
        assertThat(json.at("/failures/0/error").asText()).isEqualTo("no such mailbox");
    }

    @Test
    void the_latest_failure_comes_first_whether_it_is_retried_or_not(TestDatabase database) {
        TestShell shell = TestShell.at(database);
        try (JobQueue queue = TestShell.queue(database)) {
            queue.database().put(job("a", "failed", 3000, 7000));
            queue.database().put(job("b", "stuck", 1000, 9000));
            queue.database().put(job("c", "failed", 2000, 8000));
        }

        assertThat(shell.run("top", "-o", "json").json().path("failures").findValuesAsText("id"))
                .containsExactly("b", "c", "a");
        assertThat(shell.run("list", "--status", "failed", "-o", "json").json().findValuesAsText("id"))
                .containsExactly("c", "a");
    }

    private static ObjectNode job(String id, String status, long created, long failed) {
        ObjectNode job = JsonNodeFactory.instance.objectNode().put("_id", "job:email:" + id);
        job.put("status", status).putObject("data");
        job.putObject("times").put("created", created).put(status.equals("failed") ? "finished" : "failed", failed);
        return job;
    }

    @Test
    void csv_is_a_usage_error_since_it_shows_several_tables() {
        new TestShell().usage("top shows several tables, which -o csv cannot hold", "top", "-o", "csv");
    }

    @Test
    void an_interval_that_would_only_heat_the_server_is_a_usage_error() {
        assertThat(new TestShell().run("top", "--interval", "1ms").exitCode()).isEqualTo(2);
    }
}
