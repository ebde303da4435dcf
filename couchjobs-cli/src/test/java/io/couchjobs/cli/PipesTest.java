package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.junit.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The file that a command reads may be a pipe, as {@code <(find .)} is one. */
@ServerTest
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no mkfifo")
class PipesTest {
    @TempDir
    private Path folder;

    private TestShell shell;

    @BeforeEach
    void open(TestDatabase database) {
        shell = TestShell.at(database);
    }

    @Test
    void each_line_that_a_pipe_gives_becomes_a_job() throws Exception {
        Path pipe = pipe("./a\n./b c\n");

        try (RunningCommand command =
                shell.start("enqueue", "sha256", "--from", pipe.toString(), "--format", "lines")) {
            assertThat(command.end().out()).isEqualTo("added 2, updated 0, unchanged 0, rejected 0\n");
        }

        assertThat(shell.done("list", "-o", "json").json().findValuesAsText("line"))
                .containsExactlyInAnyOrder("./a", "./b c");
    }

    @Test
    void each_line_that_a_pipe_gives_becomes_an_item_of_an_array() throws Exception {
        Path pipe = pipe("{\"data\":{\"n\":1}}\n{\"data\":{\"n\":2}}\n");

        try (RunningCommand command = shell.start("enqueue", "page", "--array", "crawl", "--from", pipe.toString())) {
            assertThat(command.end().out()).contains("2 items");
        }
    }

    @Test
    void each_job_that_a_pipe_gives_is_imported() throws Exception {
        Path pipe = pipe("{\"_id\":\"job:email:1\",\"data\":{}}\n");

        try (RunningCommand command = shell.start("import", pipe.toString())) {
            assertThat(command.end().out()).startsWith("added 1 ");
        }
    }

    @Test
    void a_folder_and_a_file_that_is_not_there_are_named_before_the_server_is_asked() {
        TestShell nowhere = new TestShell().with("COUCHJOBS_URL", "http://127.0.0.1:1/jobs");
        nowhere.usage("cannot read " + folder + ": Is a directory", "import", folder.toString());
        Path missing = folder.resolve("missing");
        nowhere.usage("cannot read " + missing + ": no such file", "import", missing.toString());
    }

    private Path pipe(String text) throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Thread writer = new Thread(() -> write(pipe, text), "writer");
        writer.setDaemon(true);
        writer.start();
        return pipe;
    }

    private static void write(Path pipe, String text) {
        try {
            Files.writeString(pipe, text);
        } catch (IOException nobodyReads) {
            throw new UncheckedIOException(nobodyReads);
        }
    }
}
