package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Results that cannot be written. */
class FullDiskTest {
    private final StringWriter err = new StringWriter();

    @Test
    void a_result_that_a_full_disk_did_not_take_fails_and_says_so() {
        assertThat(run("No space left on device", "--help")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("couchjobs: cannot write to standard output: No space left on device\n");
    }

    @Test
    void the_exit_code_of_a_command_that_failed_stays() {
        assertThat(run("No space left on device", "counts", "--url", "http://127.0.0.1:1/jobs"))
                .isEqualTo(6);
    }

    @Test
    void a_reader_that_has_gone_is_no_failure() {
        assertThat(run("Broken pipe", "--help")).isZero();
        assertThat(err.toString()).isEmpty();
    }

    private int run(String problem, String... args) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(problem);
            }
        };
        return Cli.run(
                new Shell(
                        new ByteArrayInputStream(new byte[0]),
                        new StandardOutput(full),
                        new PrintWriter(err),
                        Map.of("COUCHJOBS_CONFIG", "none"),
                        Path.of(""),
                        Shell.Terminals.NONE,
                        question -> Optional.empty()),
                args);
    }
}
