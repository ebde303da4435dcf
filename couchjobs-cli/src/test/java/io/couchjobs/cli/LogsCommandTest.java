package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@ServerTest
@Timeout(120)
class LogsCommandTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.run("init");
    }

    @Test
    void the_standard_error_of_a_program_is_the_log_of_its_job() {
        shell.run("enqueue", "email", "1");
        shell.run("work", "email", "--until-empty", "--", "sh", "-c", "echo one >&2; echo two >&2; echo result");

        TestShell.Said said = shell.run("logs", "email", "1");
        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.out().lines().map(line -> line.substring(line.indexOf("  ") + 2)))
                .containsExactly("one", "two");
        assertThat(shell.run("logs", "email", "1", "-o", "ndjson").out().lines())
                .hasSize(2)
                .allMatch(line -> line.contains("\"attempt\":1"));
        assertThat(shell.run("logs", "email", "1", "--follow").out()).isEqualTo(said.out());
    }

    @Test
    void a_job_that_logged_nothing_has_an_empty_log_and_one_that_is_not_there_is_not_found() {
        shell.run("enqueue", "email", "1");
        TestShell.Said empty = shell.run("logs", "email", "1");
        assertThat(empty.exitCode()).isZero();
        assertThat(empty.out()).isEmpty();
        assertThat(shell.run("logs", "email", "2").exitCode()).isEqualTo(3);
    }

    @Test
    void the_log_is_one_json_document_and_while_it_is_followed_a_line_of_json_for_each_of_its_lines() {
        shell.run("enqueue", "email", "1");
        shell.run("work", "email", "--until-empty", "--", "sh", "-c", "echo one >&2; echo two >&2");
        assertThat(shell.done("logs", "email", "1", "-o", "json").json().findValuesAsText("line"))
                .containsExactly("one", "two");
        assertThat(shell.done("logs", "email", "1", "-f", "-o", "json").out())
                .isEqualTo(shell.done("logs", "email", "1", "-o", "ndjson").out());
    }
}
