package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lines of a file whose jobs are pending already. */
@ServerTest
@Timeout(120)
class KeptDataTest {
    private static final String[] FROM = {"enqueue", "imp", "--from", "-"};

    private TestShell shell;

    @BeforeEach
    void pendingJobs(TestDatabase database) {
        shell = TestShell.at(database);
        shell.input("{\"id\":\"i1\",\"data\":{\"n\":1}}\n{\"id\":\"i2\",\"data\":{\"n\":2}}\n")
                .done(FROM);
    }

    @Test
    void a_line_with_other_data_than_its_pending_job_is_counted_and_named_and_fails() {
        shell.input("{\"id\":\"i1\",\"data\":{\"n\":1.0}}\n{\"id\":\"i2\",\"data\":{\"n\":2222}}\n");
        TestShell.Said said = shell.run(FROM);
        assertThat(said.exitCode()).isEqualTo(1);
        assertThat(said.out()).isEqualTo("added 0, updated 0, unchanged 2 (of which 1 differ), rejected 0\n");
        assertThat(said.err()).contains("such as imp:i2", "--replace");
        assertThat(shell.run("enqueue", "imp", "--from", "-", "-q").err())
                .contains("such as imp:i2", "--replace")
                .hasLineCount(1);
        assertThat(shell.run("enqueue", "imp", "--from", "-", "-o", "json")
                        .json()
                        .path("differing")
                        .asInt())
                .isEqualTo(1);
        assertThat(shell.done("inspect", "imp", "i2", "-o", "json")
                        .json()
                        .at("/data/n")
                        .asInt())
                .isEqualTo(2);
    }

    @Test
    void the_same_lines_again_change_nothing_and_other_data_replaces_when_asked_for() {
        TestShell.Said again = shell.done(FROM);
        assertThat(again.out()).isEqualTo("added 0, updated 0, unchanged 2, rejected 0\n");
        assertThat(again.err()).doesNotContain("--replace");

        shell.input("{\"id\":\"i2\",\"data\":{\"n\":2222}}\n").done("enqueue", "imp", "--from", "-", "--replace");
        assertThat(shell.done("inspect", "imp", "i2", "-o", "json")
                        .json()
                        .at("/data/n")
                        .asInt())
                .isEqualTo(2222);
    }

    @Test
    void one_line_is_no_plural() {
        assertThat(shell.input("{\"data\":{}}\n").done(FROM).err()).contains("couchjobs: 1 line in ");
        assertThat(shell.done("enqueue", "imp", "--array", "a", "--from", "-").out())
                .startsWith("imp:a: 1 item in 1 chunk, 1 of them added now");
        assertThat(shell.done("export", "--type", "imp").err()).contains("exported 4 jobs in ");
        shell.terminals(new Shell.Terminals(true, false, true)).input("n\n");
        assertThat(shell.run("cancel", "--all", "--type", "imp", "--status", "waiting")
                        .err())
                .contains("cancel 4 jobs? ");
        shell.done("enqueue", "single", "1");
        assertThat(shell.run("cancel", "--all", "--type", "single").err()).contains("cancel 1 job? ");
        assertThat(shell.done("export", "--type", "single").err()).contains("exported 1 job in ");
    }
}
