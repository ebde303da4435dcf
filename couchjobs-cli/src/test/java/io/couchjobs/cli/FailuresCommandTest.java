package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.embedded.junit.TestDatabase;
import io.couchjobs.job.AcceptOptions;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class FailuresCommandTest {
    private TestDatabase database;
    private JobQueue queue;

    @BeforeEach
    void open(TestDatabase fresh) {
        database = fresh;
        queue = TestShell.queue(fresh);
        queue.operations().init();
    }

    @AfterEach
    void close() {
        queue.close();
    }

    @Test
    void failures_are_grouped_by_type_and_message_the_latest_first() throws Exception {
        fail("email", "1", "no answer after 3000 ms", true);
        fail("email", "2", "no answer after 2500 ms", false);
        fail("email", "3", "no answer after 1200 ms", true);
        fail("scan", "1", "no answer after 1 ms", true);

        JsonNode groups = run("failures", "-o", "json").json();

        assertThat(groups).hasSize(2);
        assertThat(groups.get(0).path("type").asText()).isEqualTo("scan");
        JsonNode email = groups.get(1);
        assertThat(email.path("message").asText()).isEqualTo("no answer after # ms");
        assertThat(email.path("count").asInt()).isEqualTo(3);
        assertThat(email.path("failed").asInt()).isEqualTo(2);
        assertThat(email.path("stuck").asInt()).isEqualTo(1);
        assertThat(email.path("example").asText()).isEqualTo("3");
        assertThat(email.path("first").asText())
                .isLessThanOrEqualTo(email.path("last").asText());
        assertThat(email.path("perHour")).hasSize(24);
        assertThat(email.path("perHour").get(23).asInt()).as("in this hour").isEqualTo(3);
        assertThat(run("failures", "--new-since", "1h", "-o", "json").json()).hasSize(2);
        assertThat(run("failures", "--new-since", "0s", "-o", "json").json()).isEmpty();
        assertThat(email.path("group").asText()).matches("[0-9a-f]{12}");
        assertThat(run("failures", "--type", "scan").out())
                .contains("scan", "#")
                .doesNotContain("email");
        assertThat(run("failures", "--since", "0s", "-o", "json").json()).isEmpty();
    }

    @Test
    void groups_are_new_since_a_mark() throws Exception {
        fail("email", "1", "no answer", true);
        run("mark", "v1.4");
        fail("email", "2", "no answer", true);
        fail("email", "3", "bad address", true);
        run("mark", "v1.5");

        JsonNode groups = run("failures", "--new-since", "v1.4", "-o", "json").json();

        assertThat(groups).hasSize(1);
        assertThat(groups.get(0).path("message").asText()).isEqualTo("bad address");
        assertThat(run("failures", "--new-since", "v1.5", "-o", "json").json()).isEmpty();
        assertThat(run("failures", "--new-since", "v9").err())
                .contains("--new-since must be a DURATION such as 2h, or a mark of the last 30 days", "'v9'");
    }

    @Test
    void a_group_that_failed_before_is_not_new_although_only_its_latest_failures_are_listed() throws Exception {
        fail("email", "1", "no answer", true);
        threeHoursAgo("job:email:1");
        fail("email", "2", "no answer", true);
        fail("email", "3", "bad address", true);

        JsonNode groups = run("failures", "--since", "1h", "--new-since", "2h", "-o", "json")
                .json();

        assertThat(groups.findValuesAsText("message")).containsExactly("bad address");
        JsonNode late = run("failures", "--since", "1h", "-o", "json").json();
        assertThat(late.findValuesAsText("count")).containsExactly("1", "1");
    }

    private void threeHoursAgo(String docId) {
        ObjectNode document = queue.database().getAll(List.of(docId)).get(0).orElseThrow();
        ObjectNode error = (ObjectNode) document.at("/errors/0");
        error.put("at", error.path("at").asLong() - Duration.ofHours(3).toMillis());
        assertThat(queue.database().put(document)).isInstanceOf(WriteResult.Stored.class);
    }

    @Test
    void all_jobs_of_a_group_are_retried_and_no_others() throws Exception {
        fail("email", "1", "no answer after 3000 ms", true);
        fail("email", "2", "no answer after 2500 ms", false);
        fail("email", "3", "bad address", true);
        String group = groupOf("no answer after # ms");

        TestShell.Said said = run("failures", "retry", group, "--yes", "--reason", "moved");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(queue.get("email", "1").orElseThrow().retryReason()).contains("moved");
        assertThat(queue.get("email", "2").orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        assertThat(queue.get("email", "3").orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void the_stuck_jobs_of_a_group_are_cancelled() throws Exception {
        fail("email", "1", "no answer after 3000 ms", true);
        fail("email", "2", "no answer after 2500 ms", false);
        String group = groupOf("no answer after # ms");

        TestShell.Said said = run("failures", "cancel", group, "--yes");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.FAILED);
        assertThat(queue.get("email", "2").orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        TestShell.Said again = run("failures", "cancel", group, "--yes");
        assertThat(again.exitCode()).isEqualTo(ExitCode.NOT_FOUND.number());
        assertThat(again.err()).contains("nothing to cancel in group " + group, "couchjobs failures");
    }

    @Test
    void nothing_is_done_without_a_yes_and_bad_options_are_named() throws Exception {
        fail("email", "1", "no answer", true);

        TestShell.Said unasked = run("failures", "retry", groupOf("no answer"));
        TestShell.Said past = run("failures", "--type", "a:b");

        assertThat(unasked.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(unasked.err()).contains("--yes");
        assertThat(past.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(past.err()).contains("a:b");
        assertThat(queue.get("email", "1").orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    }

    private String groupOf(String message) {
        for (JsonNode group : run("failures", "-o", "json").json()) {
            if (group.path("message").asText().equals(message)) {
                return group.path("group").asText();
            }
        }
        throw new IllegalStateException("no group " + message);
    }

    private void fail(String type, String id, String message, boolean permanent) throws InterruptedException {
        queue.add(JobRequest.builder(type).id(id).data(Map.of()).build());
        queue.accept(AcceptOptions.of(type).timeout(Duration.ofSeconds(60)))
                .get(0)
                .fail(JobError.Kind.FAILED, message, null, permanent);
    }

    private TestShell.Said run(String... arguments) {
        return TestShell.at(database).run(arguments);
    }
}
