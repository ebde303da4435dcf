package io.couchjobs.cli;

import io.couchjobs.job.JobId;
import picocli.CommandLine.Parameters;

/** The arguments TYPE ID of a command on one job. */
final class JobName {
    @Parameters(index = "0", paramLabel = "TYPE", description = "The type of the job.")
    private String type = "";

    @Parameters(index = "1", paramLabel = "ID", description = "The id of the job.")
    private String id = "";

    JobId id() {
        return new JobId(type, id);
    }
}
