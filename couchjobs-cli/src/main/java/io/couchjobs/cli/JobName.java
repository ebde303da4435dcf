package io.couchjobs.cli;

import io.couchjobs.job.JobId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/**
 * The arguments TYPE ID of a command on one job. A single argument TYPE:ID, as messages write it, is accepted, too: no type has a
 * colon.
 */
final class JobName {
    static final String TYPE = "The type of the job; or TYPE:ID, as messages write it.";

    @Parameters(index = "0", paramLabel = "TYPE", description = TYPE)
    private String type = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "ID", description = "The id of the job.")
    private @Nullable String id;

    JobId id() {
        if (id == null && !isWhole(type)) {
            throw CommandException.usage("which job of type " + type + "? Give TYPE and ID");
        }
        return of(type, id);
    }

    /** Returns whether an argument names a job by itself. */
    static boolean isWhole(String argument) {
        return argument.indexOf(':') >= 0;
    }

    /** Returns the job that two arguments name, or that the first one names by itself. */
    static JobId of(String type, @Nullable String id) {
        if (id != null) {
            return new JobId(type, id);
        }
        int colon = type.indexOf(':');
        return new JobId(type.substring(0, colon), type.substring(colon + 1));
    }
}
