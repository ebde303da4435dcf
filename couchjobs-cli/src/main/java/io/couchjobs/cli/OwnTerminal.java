package io.couchjobs.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The terminal that this process was started at. */
final class OwnTerminal {
    /** Java can hide what is typed only while standard input and output both are terminals. */
    private static final String ASK = """
            before=$(stty -g) || exit
            trap 'stty "$before"; echo >&2' EXIT
            trap 'exit 1' INT TERM HUP
            stty -echo
            printf %s "$1" >&2
            IFS= read -r answer && printf %s "$answer"
            """;

    private OwnTerminal() {}

    /** {@return whether standard input and output both are terminals} */
    static boolean hasInputAndOutput() {
        return console().isPresent();
    }

    /** Asks a person without showing the answer; empty when nobody is there. */
    static Optional<String> ask(String question) {
        File terminal = new File("/dev/tty");
        try {
            Process shell = new ProcessBuilder("sh", "-c", ASK, "sh", question)
                    .redirectInput(terminal)
                    .redirectError(terminal)
                    .start();
            String answer = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return shell.waitFor() == 0 ? Optional.of(answer) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (IOException noTerminal) { // as on Windows, which has no such file
            return console()
                    .map(console -> console.readPassword("%s", question))
                    .map(String::new);
        }
    }

    @SuppressWarnings("SystemConsoleNull")
    private static Optional<Console> console() {
        return Optional.ofNullable(System.console()).filter(OwnTerminal::isTerminal);
    }

    /** From Java 22 on there always is a console, and it has this method. */
    private static boolean isTerminal(Console console) {
        try {
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (ReflectiveOperationException before22) {
            return true;
        }
    }
}
