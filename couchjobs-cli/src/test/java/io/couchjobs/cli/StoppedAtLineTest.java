package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file whose jobs the server stops taking. */
@Timeout(120)
class StoppedAtLineTest {
    private EmbeddedCouch couch;
    private TestShell shell;

    @BeforeEach
    void open() {
        couch = EmbeddedCouch.inMemory().start();
        shell = new TestShell()
                .with("COUCHJOBS_URL", couch.url().resolve("jobs").toString());
        shell.done("init");
        couch.faults()
                .answer(
                        Integer.MAX_VALUE,
                        request -> request.path().contains("/job:")
                                || request.path().endsWith("/_bulk_docs"),
                        403);
    }

    @AfterEach
    void close() {
        couch.close();
    }

    @Test
    void it_stops_at_the_last_line_before_the_first_that_was_not_stored() {
        assertStops("after line 0: added 0, updated 0, unchanged 0", "{\"data\":{}}\nbad\n");
        assertStops("after line 2: added 0, updated 0, unchanged 0, rejected 2", "bad\nbad\n{\"data\":{}}\n");
    }

    @Test
    void it_says_so_to_the_quiet_too() {
        TestShell.Said said = shell.input("{\"data\":{}}\n").run("enqueue", "email", "--from", "-", "-q");
        assertThat(said.err()).contains("couchjobs: stopped after line 0").hasLineCount(2);
    }

    private void assertStops(String where, String lines) {
        TestShell.Said said = shell.input(lines).run("enqueue", "email", "--from", "-");
        assertThat(said.exitCode()).isNotZero();
        assertThat(said.err()).contains("couchjobs: stopped " + where);
    }
}
