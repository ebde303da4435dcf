package io.couchjobs.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
    private final StringWriter err = new StringWriter();
    private long millis;

    @Test
    void without_a_terminal_there_is_a_line_every_two_seconds() {
        ProgressLine progress = line(ProgressLine.Mode.LINES);

        for (millis = 0; millis <= 4_500; millis += 500) {
            progress.update("at " + millis);
        }

        assertThat(err).hasToString("at 2000\nat 4000\n");
    }

    @Test
    void on_a_terminal_one_line_is_written_over_and_wiped_at_the_end() {
        ProgressLine progress = line(ProgressLine.Mode.TERMINAL);

        millis = 100;
        progress.update("long line");
        millis = 200;
        progress.update("short");
        progress.clear();

        assertThat(err).hasToString("\rlong line\rshort    \r     \r");
    }

    @Test
    void a_text_that_is_too_long_for_a_line_of_a_terminal_is_cut() {
        ProgressLine progress = line(ProgressLine.Mode.TERMINAL);

        millis = 100;
        progress.update("x".repeat(100));
        progress.clear();

        assertThat(err).hasToString("\r" + "x".repeat(79) + "\r" + " ".repeat(79) + "\r");
    }

    @Test
    void quiet_means_not_at_all() {
        ProgressLine progress = line(ProgressLine.Mode.OFF);

        millis = 100_000;
        progress.update("nobody wants to know");
        progress.clear();

        assertThat(err).hasToString("");
    }

    private ProgressLine line(ProgressLine.Mode mode) {
        return new ProgressLine(new PrintWriter(err), mode, () -> millis * 1_000_000);
    }
}
