package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.cli.child.Jvm;
import io.couchjobs.embedded.EmbeddedCouch;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person at a terminal, which the program {@code script} makes. The launcher is not there to find out about it. */
@Timeout(120)
class OwnTerminalTest {
    private final EmbeddedCouch couch = EmbeddedCouch.inMemory()
            .admin("ada", "secret")
            .database("queue")
            .port(0)
            .start();
    private final TestShell shell = new TestShell()
            .with("COUCHJOBS_URL", couch.url() + "queue")
            .with("COUCHJOBS_USER", "ada")
            .with("COUCHJOBS_PASSWORD", "secret");

    @BeforeEach
    void addJob() {
        assumeTrue(Bash.isInstalled("script"), "script is not installed");
        shell.done("init");
        shell.done("enqueue", "email", "1");
    }

    @AfterEach
    void close() {
        couch.close();
    }

    @Test
    void a_password_is_asked_for_and_not_shown_while_the_results_go_into_a_pipe() throws Exception {
        String shown = shown("list -o ndjson | cat", false, "Password for ada: ", "secret\n");
        assertThat(shown).contains("\"id\":\"1\"").doesNotContain("secret");
    }

    @Test
    void a_person_is_asked_before_many_jobs_are_changed() throws Exception {
        String shown = shown("cancel --type email --all", true, "cancel 1 job? [y/N] ", "y\n");
        assertThat(shown).contains("changed 1");
    }

    /** {@return what the terminal shows} */
    private String shown(String line, boolean knowsPassword, String question, String answer) throws Exception {
        List<String> java = Jvm.again(List.of(), List.of()).command();
        String command = java.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" ")) + " " + line;
        ProcessBuilder builder = new ProcessBuilder("script", "-qec", command, "/dev/null");
        builder.environment().putAll(shell.environment());
        if (!knowsPassword) {
            builder.environment().remove("COUCHJOBS_PASSWORD");
        }
        Process script = builder.start();
        try (Reader terminal = script.inputReader();
                Writer keyboard = script.outputWriter()) {
            StringBuilder shown = new StringBuilder();
            read(terminal, shown, question);
            keyboard.write(answer);
            keyboard.flush();
            read(terminal, shown, null);
            assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(script.exitValue()).as(shown.toString()).isZero();
            return shown.toString();
        } finally {
            script.destroyForcibly();
        }
    }

    /** Reads until a text comes, or to the end. */
    private static void read(Reader terminal, StringBuilder shown, String until) throws IOException {
        while (until == null || shown.indexOf(until) < 0) {
            int character = terminal.read();
            if (character < 0) {
                assertThat(until).as("asked; it said: " + shown).isNull();
                return;
            }
            shown.append((char) character);
        }
    }
}
