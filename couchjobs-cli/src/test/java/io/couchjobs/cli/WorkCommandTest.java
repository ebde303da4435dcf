package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.embedded.junit.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@ServerTest
@Timeout(120)
class WorkCommandTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.run("init");
    }

    @Test
    void a_program_runs_once_per_job_and_its_output_is_the_result(@TempDir Path folder) throws Exception {
        for (int i = 1; i <= 20; i++) {
            shell.run("enqueue", "email", "job-" + i, "--data", "{\"n\":" + i + "}");
        }
        Path log = folder.resolve("log");

        TestShell.Said said = shell.run(
                "work",
                "email",
                "--until-empty",
                "--concurrency",
                "3",
                "-o",
                "json",
                "--",
                "sh",
                "-c",
                "echo $COUCHJOBS_TYPE $COUCHJOBS_ID $COUCHJOBS_ATTEMPT >> '" + log + "'; cat");

        assertThat(said.exitCode()).as(said.err()).isZero();
        assertThat(said.json().path("succeeded").asInt()).isEqualTo(20);
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).hasSize(20).doesNotHaveDuplicates().contains("email job-7 1");
        assertThat(inspect("email", "job-7").path("result")).hasToString("{\"n\":7}");
    }

    @Test
    void groups_take_turns_when_asked_to(@TempDir Path folder) throws Exception {
        for (String id : List.of("a1", "a2", "a3", "b1", "b2")) {
            shell.run(
                    "enqueue", "email", id, "--group", id.substring(0, 1), "--priority", id.equals("a3") ? "75" : "50");
        }
        Path log = folder.resolve("log");
        String note = "echo $COUCHJOBS_ID >> '" + log + "'";

        shell.run(
                "work",
                "email",
                "--id",
                "joex1",
                "--fair",
                "2,1",
                "--concurrency",
                "1",
                "--until-empty",
                "--",
                "sh",
                "-c",
                note);

        assertThat(Files.readAllLines(log)).containsExactly("a3", "b1", "a1", "b2", "a2");
    }

    @Test
    void turns_go_on_when_a_worker_of_the_same_id_is_started_again(@TempDir Path folder) throws Exception {
        for (String id : List.of("a0", "a1", "a2", "b0")) {
            shell.run("enqueue", "email", id, "--group", id.substring(0, 1));
        }
        Path log = folder.resolve("log");
        String note = "echo $COUCHJOBS_ID >> '" + log + "'";

        for (int start = 0; start < 3; start++) {
            shell.run("work", "email", "--id", "joex1", "--fair", "2,1", "--max-jobs", "1", "--", "sh", "-c", note);
        }

        assertThat(Files.readAllLines(log)).containsExactly("a0", "b0", "a1");
    }

    @Test
    void failed_jobs_are_told_in_one_line_and_change_the_exit_code_on_demand() {
        shell.run("enqueue", "email", "1");
        shell.run("enqueue", "email", "2");

        TestShell.Said said = shell.run("work", "email", "--max-jobs", "1", "--", "sh", "-c", "exit 65");
        TestShell.Said failing = shell.run("work", "email", "--until-empty", "--fail", "--", "sh", "-c", "exit 65");
        TestShell.Said idle = shell.run("work", "email", "--until-empty", "--fail", "--", "true");

        assertThat(said.exitCode()).isZero();
        assertThat(said.err()).contains("1 job failed for good; see couchjobs list --status failed");
        assertThat(failing.exitCode()).isEqualTo(1);
        assertThat(idle.exitCode()).isZero();
        assertThat(idle.err()).doesNotContain("failed for good");
    }

    @Test
    void a_program_knows_the_token_and_the_fence_of_its_claim() {
        shell.run("enqueue", "email", "1");

        shell.run("work", "email", "--until-empty", "--", "sh", "-c", "echo $COUCHJOBS_TOKEN $COUCHJOBS_FENCE");

        assertThat(inspect("email", "1").path("result").path("output").asText()).matches("[0-9a-f-]{36} 1");
    }

    @Test
    void the_number_of_programs_may_follow_the_number_of_processors_and_must_be_one() {
        shell.run("enqueue", "email", "1");
        assertThat(shell.run("work", "email", "--until-empty", "--concurrency", "cores*2", "--", "true")
                        .exitCode())
                .isZero();
        for (String wrong : new String[] {"0", "many", "cores*"}) {
            TestShell.Said said = shell.run("work", "email", "--concurrency", wrong, "--", "true");
            assertThat(said.exitCode()).as(said.err()).isEqualTo(2);
            assertThat(said.err()).contains("--concurrency must be");
        }
    }

    @Test
    void exit_code_65_fails_the_job_for_good_and_any_other_lets_it_be_retried() {
        shell.run("enqueue", "email", "65", "--data", "{\"code\":65}");
        shell.run("enqueue", "email", "3", "--data", "{\"code\":3}");

        TestShell.Said said =
                shell.run("work", "email", "--until-empty", "--", "sh", "-c", "echo no way >&2; exit $COUCHJOBS_ID");

        assertThat(said.exitCode()).isZero();
        assertThat(said.err()).contains("email:65 failed for good (attempt 1): exit code 65: no way");
        assertThat(inspect("email", "65").path("status").asText()).isEqualTo("failed");
        JsonNode retried = inspect("email", "3");
        assertThat(retried.path("status").asText()).isEqualTo("stuck");
        assertThat(retried.path("errors").findValuesAsText("message"))
                .singleElement()
                .asString()
                .contains("exit code 3");
    }

    @Test
    void a_program_that_takes_too_long_is_stopped() {
        shell.run("enqueue", "email", "1");

        shell.run("work", "email", "--max-jobs", "1", "--time-limit", "200ms", "--", "sleep", "600");

        JsonNode job = inspect("email", "1");
        assertThat(job.path("status").asText()).isEqualTo("stuck");
        assertThat(job.path("errors").findValuesAsText("kind")).containsExactly("killed");
    }

    @Test
    void one_worker_takes_several_types() {
        shell.run("enqueue", "a", "1");
        shell.run("enqueue", "b", "1");

        TestShell.Said said = shell.run("work", "a,b", "--until-empty", "-o", "json", "--", "true");

        assertThat(said.json().path("succeeded").asInt()).isEqualTo(2);
    }

    private JsonNode inspect(String type, String id) {
        return shell.run("inspect", type, id, "-o", "json").json();
    }
}
