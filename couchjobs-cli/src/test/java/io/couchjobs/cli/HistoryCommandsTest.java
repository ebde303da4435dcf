package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class HistoryCommandsTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.done("init");
    }

    @Test
    void the_runs_of_a_closed_worker_and_a_mark_are_shown() {
        shell.done("enqueue", "email", "1");
        shell.done("enqueue", "email", "2");
        shell.done("work", "email", "--until-empty", "--", "true");
        shell.done("enqueue", "sms", "1");
        shell.done("work", "sms", "--until-empty", "--", "sh", "-c", "exit 65");

        JsonNode marked = shell.done("mark", "v1.4", "-o", "json").json();
        assertThat(marked.path("text").asText()).isEqualTo("v1.4");

        JsonNode history = shell.done("history", "-o", "json").json();
        assertThat(history.at("/total/runs").asLong()).isEqualTo(3);
        assertThat(history.at("/types/email/runs").asLong()).isEqualTo(2);
        assertThat(history.at("/types/email/p95Ms").isNumber()).isTrue();
        assertThat(history.at("/types/sms/failures").asLong()).isEqualTo(1);
        assertThat(history.at("/stepSeconds").asLong()).isEqualTo(60);
        assertThat(history.path("points")).hasSize(61);
        assertThat(history.at("/marks/0")).isEqualTo(marked);

        JsonNode email = shell.done("history", "--type", "email", "--since", "2d", "--step", "1h", "-o", "json")
                .json();
        assertThat(email.at("/total/runs").asLong()).isEqualTo(2);
        assertThat(email.path("points")).hasSize(49);

        assertThat(shell.done("history", "--step", "1h").out()).contains("v1.4").containsPattern("\nall +3 +1 ");
    }

    @Test
    void a_queue_that_ran_nothing_has_an_empty_history() {
        assertThat(shell.done("history", "-o", "json").json().at("/total/runs").asLong())
                .isZero();
        assertThat(shell.done("history", "--type", "email").out()).contains("email");
    }

    @Test
    void a_mark_and_a_step_that_make_no_sense_are_wrong_usage() {
        shell.usage("1 to 200 characters", "mark", " ");
        shell.usage("--step: a step must be a whole number of minutes", "history", "--step", "90s");
        shell.usage("1m30s", "history", "--step", "90s");
        shell.usage("--since", "history", "--since", "0s");
    }
}
