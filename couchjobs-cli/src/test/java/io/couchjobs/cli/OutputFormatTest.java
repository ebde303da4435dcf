package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A format that cannot show what a command tells is refused before the command does anything. */
@ServerTest
@Timeout(120)
class OutputFormatTest {
    private TestShell shell;

    @BeforeEach
    void queue(TestDatabase database) {
        shell = TestShell.at(database);
        shell.done("init");
    }

    @Test
    void ids_of_a_command_that_tells_none_are_refused_before_a_job_is_added() {
        shell.input("{\"data\":{}}\n{\"data\":{}}\n")
                .usage("-o id works only for commands that do", "enqueue", "email", "--from", "-", "-o", "id");
        assertThat(shell.done("list", "-o", "json").json()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "init",
                "pause email",
                "type set email --limit 3",
                "mark deploy",
                "cron add tick @hourly email",
                "scope start email --concurrency 1",
                "work email --until-empty -- true",
                "gc",
                "doctor",
                "demo",
                "bench",
                "serve --port 0"
            })
    void ids_of_what_has_none_are_a_usage_error(String command) {
        shell.usage("-o id works only for commands that do", ("-o id " + command).split(" "));
        assertThat(shell.done("types", "-o", "json").json()).isEmpty();
        assertThat(shell.done("cron", "list", "-o", "json").json()).isEmpty();
    }

    @Test
    void ids_of_jobs_are_shown() {
        assertThat(shell.done("enqueue", "email", "1", "-o", "id").out()).isEqualTo("1\n");
        assertThat(shell.done("list", "-o", "id").out()).isEqualTo("1\n");
        assertThat(shell.done("inspect", "email", "1", "-o", "id").out()).isEqualTo("1\n");
        assertThat(shell.done("workers", "-o", "id").out()).isEmpty();
        assertThat(shell.done("export", "-o", "id").out()).contains("job:email:1");
        assertThat(shell.done("cancel", "email", "1", "-o", "id").out()).isEqualTo("1\n");
    }

    @Test
    void a_wrong_format_in_the_config_file_is_refused_before_a_job_is_added(@TempDir Path folder) throws IOException {
        Path config = Files.writeString(folder.resolve("config.toml"), "output = \"xml\"\n");
        shell.with("COUCHJOBS_CONFIG", config.toString())
                .usage("output: 'xml' is none of table, json", "enqueue", "email");
        assertThat(shell.done("list", "-o", "json").json()).isEmpty();
    }
}
