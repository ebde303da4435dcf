package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What commands say to slips of the keyboard, and to people who expect something else. */
@ServerTest
@Timeout(120)
class SlipsTest {
    private TestShell shell;

    @BeforeEach
    void open(TestDatabase database) {
        shell = TestShell.at(database);
    }

    @Test
    void to_resume_a_type_that_is_unknown_warns_of_a_slip_and_stores_nothing() {
        shell.done("enqueue", "golf", "1");
        TestShell.Said said = shell.done("resume", "golff");
        assertThat(said.err())
                .isEqualTo("couchjobs: warning: there is no job of type golff, and it was not paused"
                        + "; did you mean golf?\n");
        assertThat(shell.done("types", "-o", "json").json().findValuesAsText("type"))
                .containsExactly("golf");
        assertThat(shell.done("resume", "golf").err()).isEmpty();
        shell.done("pause", "tennis");
        assertThat(shell.done("resume", "tennis").err()).isEmpty();
    }

    @Test
    void to_act_on_all_jobs_of_a_type_that_has_none_warns_of_a_slip() {
        shell.done("enqueue", "golf", "1");
        TestShell.Said said = shell.done("cancel", "--all", "--type", "golff", "--yes");
        assertThat(said.out()).isEqualTo("changed 0, refused 0, gone 0\n");
        assertThat(said.err()).contains("warning: there is no job of type golff; did you mean golf?");
        assertThat(shell.done("cancel", "--all", "--type", "golf", "--status", "failed", "--yes")
                        .err())
                .contains("couchjobs: no such jobs")
                .doesNotContain("warning");
    }

    @Test
    void a_retention_without_a_unit_tells_that_it_is_a_number_of_jobs() {
        assertThat(shell.done("type", "set", "golf", "--retention", "7").err())
                .isEqualTo("couchjobs: --retention 7 keeps the 7 newest jobs; for a time give a unit, such as 7d\n");
        assertThat(shell.done("type", "set", "golf", "--failure-retention", "3").err())
                .startsWith("couchjobs: --failure-retention 3 keeps the 3 newest jobs");
        assertThat(shell.done("type", "set", "golf", "--retention", "7d").err()).isEmpty();
    }

    @Test
    void a_job_is_named_by_type_and_id_or_as_messages_write_it() {
        shell.done("enqueue", "email", "a:1");
        String whole = shell.done("inspect", "email", "a:1", "-o", "json").out();
        assertThat(shell.done("inspect", "email:a:1", "-o", "json").out()).isEqualTo(whole);
        assertThat(shell.done("explain", "email:a:1", "-o", "json")
                        .json()
                        .path("verdict")
                        .asText())
                .isNotEmpty();
        shell.done("wait", "email:a:1", "--for", "waiting", "--timeout", "5s");
        shell.done("logs", "email:a:1");
        assertThat(shell.done("reschedule", "email:a:1", "--in", "1h").out()).startsWith("email:a:1 due ");
        assertThat(shell.done("cancel", "email:a:1").out()).isEqualTo("email:a:1 cancelled\n");
        for (String command : List.of("inspect", "explain", "wait", "logs", "retry", "remove")) {
            shell.usage("ID", command, "email");
            shell.usage("id must not be empty", command, "email:");
        }
        shell.usage("type must not contain a colon", "remove", "email:a", "1");
    }

    @Test
    void an_id_may_begin_with_a_minus_behind_two_of_them() {
        shell.done("enqueue", "email", "--", "-x");
        assertThat(shell.done("inspect", "-o", "id", "email", "--", "-x").out()).isEqualTo("-x\n");
        for (String command : List.of("explain", "logs", "retry", "cancel", "remove")) {
            shell.done(command, "email", "--", "-x");
        }
    }

    @Test
    void a_job_without_a_log_says_so_beside_the_result() {
        shell.done("enqueue", "email", "1");
        TestShell.Said said = shell.done("logs", "email", "1");
        assertThat(said.out()).isEmpty();
        assertThat(said.err()).isEqualTo("couchjobs: email:1 has no log\n");
    }

    @Test
    void types_show_how_long_failures_are_kept_where_that_differs() {
        assertThat(shell.done("type", "set", "email", "--retention", "7d").out())
                .contains(" 7d, failures 30d ");
        assertThat(shell.done("type", "set", "email", "--failure-retention", "7d")
                        .out())
                .contains(" 7d ")
                .doesNotContain("failures");
    }

    @Test
    void a_wrong_label_is_answered_in_the_order_of_the_help() {
        shell.usage("'grp' is none of group, class, origin, tag, correlation", "counts", "--by", "grp");
    }

    @Test
    void a_command_that_reads_makes_no_store_in_a_mistyped_folder(@TempDir Path folder) {
        Path typo = folder.resolve("typo");
        for (String command : List.of("counts", "list", "export", "inspect email 1")) {
            TestShell.Said said =
                    new TestShell().with("COUCHJOBS_URL", "embedded:" + typo).run(command.split(" "));
            assertThat(said.exitCode()).as(command).isEqualTo(3);
            assertThat(said.err())
                    .contains("there is no store in " + typo, "couchjobs init --url embedded:" + typo)
                    .hasLineCount(1);
            assertThat(typo).doesNotExist();
        }
        for (String command : List.of(
                "init",
                "enqueue email 1",
                "type set email --limit 1",
                "pause email",
                "work email --until-empty -- true")) {
            Path store = folder.resolve(command);
            new TestShell().with("COUCHJOBS_URL", "embedded:" + store).done(command.split(" "));
            new TestShell().done("counts", "--url", "embedded:" + store);
        }
    }

    @Test
    void a_value_that_is_not_a_number_is_rejected_in_plain_words() {
        shell.usage("'x' is not a whole number", "enqueue", "email", "--priority", "x");
        shell.usage("'x' is not a whole number", "work", "email", "--max-jobs", "x", "--", "true");
        shell.usage("'99999999999' is too large", "enqueue", "email", "--priority", "99999999999");
    }

    @Test
    void input_that_is_empty_is_called_so() {
        shell.input("\n").usage("--data - is empty", "enqueue", "email", "--data", "-");
        shell.usage("--data is empty", "enqueue", "email", "--data", "");
    }

    @Test
    void an_array_that_is_not_there_is_not_called_a_job() {
        shell.done("init");
        TestShell.Said none = shell.run("inspect", "email", "--array", "nope");
        assertThat(none.exitCode()).isEqualTo(3);
        assertThat(none.err()).isEqualTo("couchjobs: no such array: email:nope\n");
    }

    @Test
    void to_act_on_all_jobs_asks_for_a_filter_and_names_all_of_them() {
        for (String filter : List.of("--type", "--status", "--group", "--class", "--origin", "--site", "--tag")) {
            shell.usage(filter, "cancel", "--all", "--yes");
        }
    }

    @Test
    void to_work_on_a_type_or_to_count_one_that_is_unknown_warns_of_a_slip() {
        shell.done("enqueue", "golf", "1");
        String warning = "couchjobs: warning: there is no job of type golff; did you mean golf?\n";
        assertThat(shell.done("counts", "--type", "golff").err()).isEqualTo(warning);
        assertThat(shell.done("work", "golff", "--until-empty", "--", "cat").err())
                .startsWith(warning);
        shell.done("type", "set", "tennis", "--limit", "1");
        for (String known : List.of("golf", "tennis")) {
            assertThat(shell.done("counts", "--type", known).err()).isEmpty();
            assertThat(shell.done("work", known, "--until-empty", "--", "cat").err())
                    .doesNotContain("warning");
        }
    }
}
