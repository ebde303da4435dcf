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
 * Runs a process for each job: whatever the job does to it (leaks, crashes, {@code System.exit}) ends with the process. Immutable
 * and thread-safe.
 *
 * <p>The program gets the job's data as JSON on its standard input. Its environment is that of this process, passwords included,
 * with {@code COUCHJOBS_TYPE}, {@code COUCHJOBS_ID}, {@code COUCHJOBS_ATTEMPT}, {@code COUCHJOBS_TOKEN} and {@code
 * COUCHJOBS_FENCE} in addition. For an item of an array it also has the item's index, {@code COUCHJOBS_ITEM}. The program's
 * standard output (the first MiB) becomes the result: JSON as it is, any other text as {@code {"output": "..."}}. Each line of its
 * standard error goes to the job's log. There is no shell in between.
 *
 * <p>Exit code 0 is success, {@value #PERMANENT} (EX_DATAERR of sysexits.h) a failure that no retry will mend, everything else
 * is retried. When the run must stop, the program and all that it started get a TERM, and after the grace period (10 s) a
 * KILL. Source: Riak Core Jobs, and {@code couchjobs work}, which uses it.
 */
public final class ProcessHandler implements JobHandler<ObjectNode> {
    /** The exit code of a failure that no retry will mend. */
    public static final int PERMANENT = 65;

    private final Program program;

    private ProcessHandler(Program program) {
        this.program = program;
    }

    /**
     * Runs a command for each job.
     *
     * @param command the program, a file or a name that is looked for on the {@code PATH}, and its arguments
     * @return a handler
     * @throws IllegalArgumentException when it cannot be started; the message says why
     */
    public static ProcessHandler of(String... command) {
        return of(List.of(command), System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
    }

    /**
     * Runs a command for each job.
     *
     * @param command the program, a file or a name without a slash, and its arguments
     * @param searchPath where a name is looked for: folders with colons between them
     * @return a handler
     * @throws IllegalArgumentException when it cannot be started; the message says why
     */
    public static ProcessHandler of(List<String> command, String searchPath) {
        return new ProcessHandler(Program.of(command, searchPath));
    }

    /**
     * Runs a Java program for each job, in a JVM like this one, with this one's class path.
     *
     * @param main a class with a {@code main} method, which gets no arguments
     * @param options of the JVM, such as {@code -Xmx256m}
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
     * {@return this handler, with the time that a program may take to end after a TERM before it is killed}
     *
     * @param time default 10 s
     * @throws IllegalArgumentException when the time is negative
     */
    public ProcessHandler grace(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("grace must not be negative: " + time);
        }
        return new ProcessHandler(program.withGrace(time));
    }

    /**
     * {@return this handler, with more in the environment of the programs, which is otherwise that of this process}
     *
     * @param variables names and values
     */
    public ProcessHandler environment(Map<String, String> variables) {
        return new ProcessHandler(program.withEnvironment(variables));
    }

    /**
     * {@return this handler, with another folder for the programs to run in}
     *
     * @param folder default: that of this process
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

    /** The last complaint of a program is the best explanation there is. */
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
