package io.couchjobs.cli.logging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class StderrLoggerTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(err, true, UTF_8);
    private final Logger library = new StderrLogger("io.couchjobs.engine.feed.Feed", () -> stream);
    private final Logger job = new StderrLogger("couchjobs.job", () -> stream);
    private final Logger stranger = new StderrLogger("org.apache.hc.client5", () -> stream);

    @AfterEach
    void reset() {
        LogLevels.configure(false, false);
    }

    @Test
    void a_warning_looks_like_all_other_lines_and_a_duration_like_one_that_was_typed() {
        LogLevels.configure(false, false);

        library.info("nobody asked");
        library.warn("worker {} gave no sign of life for {}", "w", Duration.ofSeconds(5));
        library.error("it broke", new IllegalStateException("why"));
        job.info("{}: {}", "email:1", "half \u001b[31mdone");
        stranger.warn("nobody needs that");

        assertThat(err.toString(UTF_8))
                .isEqualTo(("couchjobs: warning: worker w gave no sign of life for 5s%n"
                                + "couchjobs: error: it broke: java.lang.IllegalStateException: why%n"
                                + "couchjobs: email:1: half \\u001b[31mdone%n")
                        .formatted());
    }

    @Test
    void verbose_says_when_and_who_and_where_it_broke() {
        LogLevels.configure(true, false);

        library.debug("connecting");
        library.error("it broke", new IllegalStateException("why"));
        stranger.debug("Authorization: Basic c2VjcmV0");

        assertThat(err.toString(UTF_8))
                .containsPattern("\\d\\d:\\d\\d:\\d\\d\\S* DEBUG Feed: connecting")
                .contains("ERROR Feed: it broke", "\tat io.couchjobs.")
                .doesNotContain("Basic");
    }

    @Test
    void quiet_leaves_only_errors() {
        LogLevels.configure(false, true);

        library.warn("trying again");
        job.info("half done");
        library.error("it broke");

        assertThat(err.toString(UTF_8)).isEqualTo("couchjobs: error: it broke%n".formatted());
    }

    @Test
    void the_library_logs_through_it() {
        assertThat(LoggerFactory.getLogger("io.couchjobs.x")).isInstanceOf(StderrLogger.class);
    }
}
