package io.couchjobs.cli.program;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.worker.JobContext;
import io.couchjobs.worker.JobHandler;
import io.couchjobs.worker.PermanentJobException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Runs a program for each job: the data goes to its standard input, its standard output becomes the result, its standard
 * error the job's log. Thread-safe.
 *
 * <p>Exit code 0 is success, {@value #PERMANENT} (EX_DATAERR of sysexits.h) a failure that no retry will mend, everything
 * else is retried.
 */
public final class ProgramHandler implements JobHandler<ObjectNode> {
    private static final int PERMANENT = 65;

    private final Program program;

    /**
     * A handler.
     *
     * @param program the program to run
     */
    public ProgramHandler(Program program) {
        this.program = program;
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
        return Map.of(
                "COUCHJOBS_TYPE", context.id().type(),
                "COUCHJOBS_ID", context.id().id(),
                "COUCHJOBS_ATTEMPT", Integer.toString(context.attempt()),
                "COUCHJOBS_TOKEN", context.token(),
                "COUCHJOBS_FENCE", Long.toString(context.fence()));
    }

    /** What a program complained about last is the best explanation there is. */
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
