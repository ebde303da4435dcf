package io.couchjobs.process;

import io.couchjobs.engine.time.Environment;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command line that is run once per job, without a shell. Immutable and thread-safe.
 *
 * <p>If {@code setsid} is available, the program gets its own session. Then Ctrl-C on the worker's terminal reaches only the
 * worker, which lets its running jobs finish.
 */
final class Program {
    /** The highest number of bytes of the standard output that are kept. */
    static final int LONGEST_OUTPUT = 1024 * 1024;

    private static final Duration GRACE = Duration.ofSeconds(10);

    private final List<String> command;
    private final Duration grace;
    private final Map<String, String> environment;
    private final @Nullable Path directory;

    private Program(List<String> command, Duration grace, Map<String, String> environment, @Nullable Path directory) {
        this.command = command;
        this.grace = grace;
        this.environment = Map.copyOf(environment);
        this.directory = directory;
    }

    /** Creates a program. Throws an IllegalArgumentException with the reason if the command cannot be started. */
    static Program of(List<String> command, String searchPath) {
        if (command.isEmpty()) {
            throw new IllegalArgumentException("command must name a program");
        }
        Executable executable = new Executable(searchPath);
        executable.check(command.get(0));
        List<String> full = new ArrayList<>(command);
        if (executable.exists("setsid")) {
            full.add(0, "setsid");
        }
        return new Program(List.copyOf(full), GRACE, Map.of(), null);
    }

    Program withGrace(Duration time) {
        return new Program(command, time, environment, directory);
    }

    /** Returns this program with additional environment variables. */
    Program withEnvironment(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        return new Program(command, grace, all, directory);
    }

    Program withDirectory(Path folder) {
        return new Program(command, grace, environment, folder);
    }

    /**
     * The outcome of a run.
     *
     * @param exitCode the exit code of the program; 128 or more for a signal
     * @param output the standard output of the program
     */
    record Outcome(int exitCode, Output output) {}

    /**
     * Runs the program to its end. If this method throws, the program and its descendants have been stopped.
     *
     * @param input the standard input; the program need not read it
     * @param variables the additional environment variables
     * @param log receives each line of the standard error; called by another thread
     * @return the outcome
     * @throws IOException when the program cannot be started
     * @throws InterruptedException when the thread was interrupted
     */
    Outcome run(byte[] input, Map<String, String> variables, Consumer<String> log)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.environment().putAll(variables);
        builder.directory(directory == null ? null : directory.toFile());
        Process process = builder.start();
        try {
            Output output = new Output(LONGEST_OUTPUT);
            Reading stdout = new Reading(process.getInputStream());
            Reading stderr = new Reading(process.getErrorStream());
            Thread reading = start(process, "stdout", () -> output.readAll(stdout));
            Thread logging = start(process, "stderr", () -> new LogLines(log).readAll(stderr));
            start(process, "stdin", () -> write(process.getOutputStream(), input));
            int exitCode = process.waitFor();
            if (!finishReading(stdout, reading, stderr, logging)) {
                output.cut();
            }
            return new Outcome(exitCode, output);
        } catch (InterruptedException | RuntimeException | Error stop) {
            new ProcessTree(process.toHandle()).stop(grace);
            throw stop;
        }
    }

    /**
     * Finishes reading the output after the program has ended. Does not wait for a background process that the program left behind,
     * because it may keep the output open forever. An interrupt has no effect any more, except that the interrupt flag stays set.
     *
     * @return whether everything that the program wrote to standard output was read
     */
    private static boolean finishReading(Reading stdout, Thread reading, Reading stderr, Thread logging) {
        boolean whole = false;
        try {
            whole = stdout.awaitRest(reading);
            var unused = stderr.awaitRest(logging);
        } catch (InterruptedException tooLateToStop) {
            Thread.currentThread().interrupt();
        }
        whole |= !reading.isAlive();
        if (reading.isAlive() || logging.isAlive()) {
            closeQuietly(stdout, stderr);
        }
        return whole;
    }

    private static void closeQuietly(Reading stdout, Reading stderr) {
        try {
            stdout.close();
            stderr.close();
        } catch (IOException gone) {
            // the stream is closed either way
        }
    }

    /** Writes the input. A program that does not read all of its input is not an error, so a broken pipe is ignored. */
    private static void write(OutputStream stdin, byte[] input) {
        try (stdin) {
            stdin.write(input);
        } catch (IOException brokenPipe) {
            // not an error, see above
        }
    }

    private static Thread start(Process process, String stream, Runnable task) {
        Thread thread = Environment.REAL.thread("program-" + process.pid() + "-" + stream, task);
        thread.start();
        return thread;
    }
}
