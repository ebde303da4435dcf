package io.couchjobs.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The terminal from which this process was started. */
final class OwnTerminal {
    /**
     * A shell script that asks without showing the answer. Java can hide what is typed only while standard input and output are
     * both terminals.
     */
    private static final String ASK = """
            [ -t 0 ] || [ -t 2 ] || "$2" || exit
            # without this, a process in the background would stop silently at the first use of the terminal
            trap '' TTIN TTOU
            exec 2> /dev/null < /dev/tty || exit
            exec 2> /dev/tty
            before=$(stty -g) || exit
            trap 'stty "$before"; echo >&2' EXIT
            trap 'exit 1' INT TERM HUP
            stty -echo || exit
            printf %s "$1" >&2
            IFS= read -r answer && printf %s "$answer"
            """;

    private OwnTerminal() {}

    /** {@return whether standard input and output are both terminals} */
    static boolean hasInputAndOutput() {
        return console().isPresent();
    }

    /**
     * Asks a person without showing the answer; returns empty when there is no terminal.
     *
     * @param isOutputSeen whether standard output is a terminal; the script checks the other streams itself
     */
    static Optional<String> ask(String question, boolean isOutputSeen) {
        try {
            boolean isUnix = new File("/dev/tty").exists();
            return isUnix ? askByShell(question, isOutputSeen) : askByConsole(question);
        } catch (IOException noShell) {
            return askByConsole(question);
        }
    }

    private static Optional<String> askByShell(String question, boolean isOutputSeen) throws IOException {
        Child child = new Child();
        Runtime.getRuntime().addShutdownHook(new Thread(child::end));
        Process shell = child.start(new ProcessBuilder("sh", "-c", ASK, "sh", question, String.valueOf(isOutputSeen))
                .redirectInput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT));
        String answer = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            return shell.waitFor() == 0 ? Optional.of(answer) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static Optional<String> askByConsole(String question) {
        return console().map(console -> console.readPassword("%s", question)).map(String::new);
    }

    @SuppressWarnings("SystemConsoleNull")
    private static Optional<Console> console() {
        return Optional.ofNullable(System.console()).filter(OwnTerminal::isTerminal);
    }

    /**
     * Returns whether a console is a terminal. From Java 22 on, there is always a console, and it has the method
     * {@code isTerminal}.
     */
    private static boolean isTerminal(Console console) {
        try {
            return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
        } catch (ReflectiveOperationException before22) {
            return true;
        }
    }

    /** The shell that asks. When it is ended, it makes the terminal show typed text again. */
    private static final class Child {
        private @Nullable Process shell;

        synchronized Process start(ProcessBuilder builder) throws IOException {
            Process started = builder.start();
            shell = started;
            return started;
        }

        /** Ends the shell, even one that is being started. */
        synchronized void end() {
            if (shell == null) {
                return;
            }
            shell.toHandle().destroy();
            try {
                boolean unused = shell.waitFor(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
