package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Results that cannot be written. */
class FullDiskTest {
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @Test
    void a_result_that_a_full_disk_did_not_take_fails_and_says_so() throws IOException {
        assertThat(run(file(), "--help")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("couchjobs: cannot write to standard output: No space left on device\n");
    }

    @Test
    void the_exit_code_of_a_command_that_failed_stays() throws IOException {
        assertThat(run(file(), "counts", "--url", "http://127.0.0.1:1/jobs")).isEqualTo(6);
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there is no mkfifo")
    void a_reader_that_has_gone_is_no_failure_whatever_the_language_of_the_message() throws Exception {
        assertThat(run(pipe(), "--help")).isZero();
        assertThat(err.toString()).isEmpty();
    }

    private Path file() throws IOException {
        return Files.createFile(folder.resolve("file"));
    }

    private Path pipe() throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        return pipe;
    }

    private int run(Path standardOutput, String... args) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        return Cli.run(
                new Shell(
                        new ByteArrayInputStream(new byte[0]),
                        new StandardOutput(full, standardOutput),
                        new PrintWriter(err),
                        Map.of("COUCHJOBS_CONFIG", "none"),
                        Path.of(""),
                        Shell.Terminals.NONE,
                        question -> Optional.empty()),
                args);
    }
}
