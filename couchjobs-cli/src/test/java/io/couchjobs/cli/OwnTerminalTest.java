package io.couchjobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.couchjobs.cli.child.Jvm;
import io.couchjobs.embedded.EmbeddedCouch;
import java.io.File;
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
    private static final String JAVA = Jvm.again(List.of(), List.of()).command().stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));

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
    void addJob() throws Exception {
        assumeTrue(isScriptOfLinux(), "script is not installed, or takes other options");
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

    @Test
    void the_question_is_seen_while_standard_error_goes_into_a_file() throws Exception {
        String shown = shown("cancel --type email --all 2> /dev/null", true, "cancel 1 job? [y/N] ", "y\n");
        assertThat(shown).contains("changed 1");
    }

    @Test
    void nobody_is_asked_for_a_password_when_no_stream_is_a_terminal() throws Exception {
        String shown = shown(JAVA + " list < /dev/null 2>&1 | cat", false, "", (keyboard, script) -> {});
        assertThat(shown).contains("no password for user ada").doesNotContain("Password for");
    }

    @Test
    void a_process_in_the_background_ends_when_it_needs_a_password() throws Exception {
        String shown = shown("set -m; " + JAVA + " list & wait $!; echo code $?", false, "", (keyboard, script) -> {});
        assertThat(shown).contains("no password for user ada", "code 2");
    }

    @Test
    void the_terminal_shows_again_what_is_typed_when_the_process_is_ended_at_the_question() throws Exception {
        String shown =
                shown(JAVA + " list; stty -a", false, "Password for ada: ", (keyboard, script) -> script.descendants()
                        .filter(OwnTerminalTest::isJava)
                        .forEach(ProcessHandle::destroy));
        assertThat(shown).contains(" echo ");
    }

    private static boolean isJava(ProcessHandle process) {
        return process.info().command().filter(name -> name.endsWith("java")).isPresent();
    }

    /** The one of BSD takes other options. */
    private static boolean isScriptOfLinux() throws Exception {
        if (!Bash.isInstalled("script")) {
            return false;
        }
        return new ProcessBuilder("script", "-qec", "true", "/dev/null")
                        .redirectInput(new File("/dev/null"))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    /** What is done when the question is there. */
    private interface Act {
        void with(Writer keyboard, Process script) throws IOException;
    }

    private String shown(String arguments, boolean knowsPassword, String question, String answer) throws Exception {
        return shown(JAVA + " " + arguments, knowsPassword, question, (keyboard, script) -> {
            keyboard.write(answer);
            keyboard.flush();
        });
    }

    /** {@return what the terminal shows} */
    private String shown(String command, boolean knowsPassword, String question, Act act) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("script", "-qec", command, "/dev/null");
        builder.environment().putAll(shell.environment());
        builder.environment().put("SHELL", "/bin/sh");
        if (!knowsPassword) {
            builder.environment().remove("COUCHJOBS_PASSWORD");
        }
        Process script = builder.start();
        try (Reader terminal = script.inputReader();
                Writer keyboard = script.outputWriter()) {
            StringBuilder shown = new StringBuilder();
            read(terminal, shown, question);
            act.with(keyboard, script);
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
