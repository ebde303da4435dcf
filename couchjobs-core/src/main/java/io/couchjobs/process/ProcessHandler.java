package io.couchjobs.process;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a separate process for each job, so that leaks, crashes and {@code System.exit} of a job affect only this process. Immutable
 * and thread-safe.
 *
 * <p>The program gets the job's data as JSON on its standard input. It inherits the environment of this process, including any
 * passwords, with the additional variables {@code COUCHJOBS_TYPE}, {@code COUCHJOBS_ID}, {@code COUCHJOBS_ATTEMPT}, {@code
 * COUCHJOBS_TOKEN} and {@code COUCHJOBS_FENCE}. For an item of an array, {@code COUCHJOBS_ITEM} is the item's index. The first MiB
 * of the program's standard output becomes the result: JSON unchanged, any other text as {@code {"output": "..."}}. Each line of
 * its standard error goes to the job's log. The program is started without a shell.
 *
 * <p>Exit code 0 means success, {@value #PERMANENT} (EX_DATAERR of sysexits.h) a permanent failure, and every other code a failure
 * that is retried. When the run must stop, the program and its descendants get a TERM signal, and a KILL signal after the grace
 * period (10 s). Source: Riak Core Jobs. {@code couchjobs work} uses this handler.
 */
public final class ProcessHandler implements JobHandler<ObjectNode> {
    /** The exit code of a permanent failure. */
    public static final int PERMANENT = 65;

    private final Program program;

    private ProcessHandler(Program program) {
        this.program = program;
    }

    /**
     * Creates a handler that runs a command for each job.
     *
     * @param command the program and its arguments; the program is a file, or a name that is looked up on the {@code PATH}
     * @return a handler
     * @throws IllegalArgumentException when the program cannot be started; the message says why
     */
    public static ProcessHandler of(String... command) {
        return of(List.of(command), System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
    }

    /**
     * Creates a handler that runs a command for each job.
     *
     * @param command the program and its arguments; the program is a file, or a name without a slash
     * @param searchPath the folders in which a name is looked up, separated by colons
     * @return a handler
     * @throws IllegalArgumentException when the program cannot be started; the message says why
     */
    public static ProcessHandler of(List<String> command, String searchPath) {
        return new ProcessHandler(Program.of(command, searchPath));
    }

    /**
     * Creates a handler that runs a Java program for each job, with the JVM and the class path of this process.
     *
     * @param main a class with a {@code main} method, which is called without arguments
     * @param options the options of the JVM, such as {@code -Xmx256m}
     * @return a handler
     */
    public static ProcessHandler ofMain(Class<?> main, String... options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return of(command.toArray(String[]::new));
    }

    /**
     * {@return this handler, with the grace period between the TERM signal and the KILL signal}
     *
     * @param time the grace period; default 10 s
     * @throws IllegalArgumentException when the time is negative
     */
    public ProcessHandler grace(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("grace must not be negative: " + time);
        }
        return new ProcessHandler(program.withGrace(time));
    }

    /**
     * {@return this handler, with additional environment variables for the programs}
     *
     * @param variables the names and values
     */
    public ProcessHandler environment(Map<String, String> variables) {
        return new ProcessHandler(program.withEnvironment(variables));
    }

    /**
     * {@return this handler, with another working directory for the programs}
     *
     * @param folder the directory; the default is that of this process
     */
    public ProcessHandler directory(Path folder) {
        return new ProcessHandler(program.withDirectory(folder));
    }

    @Override
    public Object handle(ObjectNode data, JobContext context) throws Exception {
        LastLine lastLine = new LastLine();
        Program.Outcome outcome =
                program.run(data.toString().getBytes(StandardCharsets.UTF_8), variables(context), line -> {
                    lastLine.see(line);
                    context.log(line);
                });
        if (outcome.exitCode() == 0) {
            return outcome.output().toResult();
        }
        String problem = "exit code " + outcome.exitCode() + lastLine.asReason();
        if (outcome.exitCode() == PERMANENT) {
            throw new PermanentJobException(problem);
        }
        throw new ProgramFailedException(problem);
    }

    private static Map<String, String> variables(JobContext context) {
        Map<String, String> variables = new HashMap<>();
        variables.put("COUCHJOBS_TYPE", context.id().type());
        variables.put("COUCHJOBS_ID", context.id().id());
        variables.put("COUCHJOBS_ATTEMPT", Integer.toString(context.attempt()));
        variables.put("COUCHJOBS_TOKEN", context.token());
        variables.put("COUCHJOBS_FENCE", Long.toString(context.fence()));
        context.item().ifPresent(item -> variables.put("COUCHJOBS_ITEM", Long.toString(item)));
        return variables;
    }

    /** Keeps the last line of a program's standard error, which usually explains a failure best. */
    private static final class LastLine {
        private volatile String text = "";

        void see(String line) {
            if (!line.isBlank()) {
                text = line.strip();
            }
        }

        String asReason() {
            return text.isEmpty() ? "" : ": " + text;
        }
    }
}
