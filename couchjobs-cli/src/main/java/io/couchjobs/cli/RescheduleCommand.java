package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reschedule}: pending jobs get another time. */
@Command(
        name = "reschedule",
        description = "Give pending jobs another time. Exit code 4 when a job is not pending.",
        footer = {"", "Examples:", "  couchjobs reschedule email 42 --at +2h"})
final class RescheduleCommand extends JobsCommand {
    @Option(names = "--at", required = true, paramLabel = "TIME", description = "Not before this time.")
    private Instant at = Instant.EPOCH;

    @Override
    String act(JobQueue queue, JobId id) {
        queue.reschedule(id.type(), id.id(), at);
        return "due " + at;
    }
}
