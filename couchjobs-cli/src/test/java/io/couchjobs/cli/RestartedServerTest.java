package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.couchjobs.embedded.EmbeddedCouch;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands that stay outlive the server they were started with. */
@Timeout(180)
class RestartedServerTest {
    private TestShell shell;
    private EmbeddedCouch couch;

    @TempDir
    private Path folder;

    @BeforeEach
    void start() {
        couch = startAnywhere();
        shell = new TestShell()
                .with("COUCHJOBS_URL", couch.url() + "queue")
                .terminals(new Shell.Terminals(false, false, true));
        done("enqueue", "email", "1", "--in", "1h");
    }

    @AfterEach
    void stop() {
        couch.close();
    }

    @Test
    void wait_goes_on_when_the_server_is_there_again() throws Exception {
        try (RunningCommand wait =
                shell.start("wait", "email", "1", "--for", "cancelled").awaitErr("waiting until")) {
            restart();
            done("cancel", "email", "1");

            assertThat(wait.end().out()).isEqualTo("cancelled\n");
        }
    }

    @Test
    void watch_goes_on_when_the_server_is_there_again() throws Exception {
        try (RunningCommand watch = shell.start("watch", "-o", "ndjson").awaitErr("watching")) {
            done("reschedule", "email", "1", "--at", "+2h");
            watch.awaitOut(text -> text.contains("waiting"));
            restart();
            done("cancel", "email", "1");

            String seen = watch.awaitOut(text -> text.contains("cancelled"));
            assertThat(seen.lines()).hasSize(2);
            assertThat(watch.interrupt().err()).endsWith("couchjobs: interrupted\n");
        }
    }

    private void restart() {
        int port = couch.port();
        couch.close();
        couch = start(port);
    }

    /** At a port that clients are not given: no connection takes it while the server is away. */
    private EmbeddedCouch startAnywhere() {
        for (int port = ThreadLocalRandom.current().nextInt(20_000, 30_000); ; port++) {
            try {
                return start(port);
            } catch (UncheckedIOException taken) {
                assertThat(taken).hasCauseInstanceOf(BindException.class);
            }
        }
    }

    private EmbeddedCouch start(int port) {
        return EmbeddedCouch.builder()
                .directory(folder)
                .database("queue")
                .port(port)
                .start();
    }

    private void done(String... args) {
        TestShell.Said said = shell.run(args);
        assertThat(said.exitCode()).as(said.err()).isZero();
    }
}
