package io.couchjobs.cli.program;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A command line that is run once per job, with no shell in between. Immutable and thread-safe.
 *
 * <p>Where there is a {@code setsid} the program gets a session of its own, so that Ctrl-C on the worker's terminal reaches
 * the worker only: it lets its running jobs finish.
 */
public final class Program {
    /** How much of the standard output is kept, in bytes. */
    public static final int LONGEST_OUTPUT = 1024 * 1024;

    private final List<String> command;
    private final Duration grace;

    private Program(List<String> command, Duration grace) {
        this.command = command;
        this.grace = grace;
    }

    /**
     * Checks that a command can be started.
     *
     * @param command the program and its arguments; a name without a slash is looked for on the search path
     * @param searchPath the PATH
     * @param grace how long the program may take to end after a TERM before it is killed
     * @return the program
     * @throws IllegalArgumentException when it cannot be started; the message says why
     */
    public static Program of(List<String> command, String searchPath, Duration grace) {
        Executable executable = new Executable(searchPath);
        executable.check(command.get(0));
        List<String> full = new ArrayList<>(command);
        if (executable.exists("setsid")) {
            full.add(0, "setsid");
        }
        return new Program(List.copyOf(full), grace);
    }

    /**
     * How a run ended.
     *
     * @param exitCode what the program returned; 128 and more for a signal
     * @param output what it wrote to standard output
     */
    public record Outcome(int exitCode, Output output) {}

    /**
     * Runs the program to its end.
     *
     * @param input what it finds on standard input; it need not read it
     * @param variables added to the environment
     * @param log gets each line of its standard error; called by another thread
     * @return how it ended
     * @throws IOException when it cannot be started
     * @throws InterruptedException when the thread was interrupted; the program and all that it started are gone then
     */
    public Outcome run(byte[] input, Map<String, String> variables, Consumer<String> log)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            Output output = new Output(LONGEST_OUTPUT);
            Thread reading = start(process, "stdout", () -> output.readAll(process.getInputStream()));
            Thread logging = start(process, "stderr", () -> new LogLines(log).readAll(process.getErrorStream()));
            start(process, "stdin", () -> write(process.getOutputStream(), input));
            int exitCode = process.waitFor();
            finishReading(process, reading, logging);
            return new Outcome(exitCode, output);
        } catch (InterruptedException stop) {
            new ProcessTree(process.toHandle()).stop(grace);
            throw stop;
        }
    }

    /**
     * A background process that the program left behind may hold its output open for ever: do not wait for that one. The
     * program itself has ended by now, so an interrupt changes nothing any more.
     */
    private static void finishReading(Process process, Thread reading, Thread logging) {
        try {
            reading.join(1_000);
            logging.join(1_000);
        } catch (InterruptedException tooLateToStop) {
            Thread.currentThread().interrupt();
        }
        if (reading.isAlive() || logging.isAlive()) {
            closeQuietly(process);
        }
    }

    private static void closeQuietly(Process process) {
        try {
            process.getInputStream().close();
            process.getErrorStream().close();
        } catch (IOException gone) {
            // nothing more to read is what we want
        }
    }

    /** A program that does not read its input, or not all of it, is no error: the pipe breaks and nobody minds. */
    private static void write(OutputStream stdin, byte[] input) {
        try (stdin) {
            stdin.write(input);
        } catch (IOException brokenPipe) {
            // see above
        }
    }

    private static Thread start(Process process, String stream, Runnable task) {
        Thread thread = new Thread(task, "program-" + process.pid() + "-" + stream);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
