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
 * A command line that is run once per job, with no shell in between. Immutable and thread-safe.
 *
 * <p>Where there is a {@code setsid} the program gets a session of its own, so that Ctrl-C on the worker's terminal reaches
 * the worker only: it lets its running jobs finish.
 */
final class Program {
    /** How much of the standard output is kept, in bytes. */
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

    /** Throws IllegalArgumentException, which says why, when the command cannot be started. */
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

    /** Adds variables. */
    Program withEnvironment(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(variables);
        return new Program(command, grace, all, directory);
    }

    Program withDirectory(Path folder) {
        return new Program(command, grace, environment, folder);
    }

    /**
     * How a run ended.
     *
     * @param exitCode what the program returned; 128 and more for a signal
     * @param output what it wrote to standard output
     */
    record Outcome(int exitCode, Output output) {}

    /**
     * Runs the program to its end. When this throws, whatever it is, the program and all that it started are gone.
     *
     * @param input what it finds on standard input; it need not read it
     * @param variables added to the environment
     * @param log gets each line of its standard error; called by another thread
     * @return how it ended
     * @throws IOException when it cannot be started
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
     * A background process that the program left behind may hold its output open for ever: do not wait for that one. The
     * program itself has ended by now, so an interrupt changes nothing any more.
     *
     * @return whether all that the program wrote to standard output was read
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
        Thread thread = Environment.REAL.thread("program-" + process.pid() + "-" + stream, task);
        thread.start();
        return thread;
    }
}
