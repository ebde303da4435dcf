package io.couchjobs.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The streams, variables and terminal of a command. Everything that a command reads and prints goes through this record, so that
 * tests can replace it.
 *
 * @param in standard input
 * @param out standard output: results only
 * @param err standard error: progress, warnings and errors
 * @param env the environment variables
 * @param home the top of the installation: where {@code demo} finds its files by default
 * @param terminals which of the streams a person sees
 * @param prompt asks a person a question without showing the answer; returns empty when there is no terminal
 */
record Shell(
        InputStream in,
        PrintWriter out,
        PrintWriter err,
        Map<String, String> env,
        Path home,
        Terminals terminals,
        Function<String, Optional<String>> prompt) {

    /** Which streams are terminals. */
    record Terminals(boolean in, boolean out, boolean err) {
        static final Terminals NONE = new Terminals(false, false, false);

        /**
         * Reads what the launcher found out. Without the launcher, Java can only tell whether standard input and output are both
         * terminals.
         */
        static Terminals ofThisProcess() {
            String streams = System.getProperty("couchjobs.terminals");
            if (streams == null) {
                boolean isThere = OwnTerminal.hasInputAndOutput();
                return new Terminals(isThere, isThere, isThere);
            }
            return new Terminals(streams.contains("0"), streams.contains("1"), streams.contains("2"));
        }

        /** {@return whether a person can see a question and answer it} */
        boolean hasPerson() {
            return in && (out || err);
        }
    }

    static Shell ofThisProcess() {
        Terminals terminals = Terminals.ofThisProcess();
        return new Shell(
                System.in,
                new StandardOutput(new FileOutputStream(FileDescriptor.out), Path.of("/dev/stdout")),
                new PrintWriter(
                        new OutputStreamWriter(new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8)),
                System.getenv(),
                Path.of(System.getProperty("couchjobs.home", "")).toAbsolutePath(),
                terminals,
                question -> OwnTerminal.ask(question, terminals.out()));
    }

    /** {@return an environment variable that is set and not empty} */
    Optional<String> variable(String name) {
        return Optional.ofNullable(env.get(name)).filter(value -> !value.isEmpty());
    }

    /** {@return the answer of a person: a line of standard input; empty at the end of the input} */
    String readLine() {
        try {
            StringBuilder line = new StringBuilder();
            for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
                line.append((char) b);
            }
            return line.toString();
        } catch (IOException nobodyThere) {
            return "";
        }
    }

    /** {@return why results were lost; empty when all were written, or when their reader has gone} */
    Optional<String> lostOutput() {
        return out instanceof StandardOutput own ? own.problem() : Optional.empty();
    }

    /**
     * Asks a person at the terminal; any answer but yes means no. Prefers standard output: without the launcher, standard error
     * may be a file although it is taken for a terminal.
     */
    boolean confirms(String question) {
        PrintWriter seen = terminals.out() ? out : err;
        seen.print(question);
        seen.flush();
        String answer = readLine().strip().toLowerCase(Locale.ROOT);
        return answer.equals("y") || answer.equals("yes");
    }
}
