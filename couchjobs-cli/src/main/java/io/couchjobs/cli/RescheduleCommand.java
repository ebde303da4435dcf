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
        footer = {
            "",
            "Examples:",
            "  couchjobs reschedule email 42 --at +2h",
            "  couchjobs reschedule --type email --status stuck --all --yes --at 2030-01-31T08:00:00Z"
        })
final class RescheduleCommand extends JobsCommand {
    @Option(
            names = "--at",
            order = -1,
            required = true,
            paramLabel = "TIME",
            description = "Not before this time: ISO-8601, epoch seconds or milliseconds, or +5m from now.")
    private Instant at = Instant.EPOCH;

    @Override
    String act(JobQueue queue, JobId id) {
        queue.reschedule(id.type(), id.id(), at);
        return "due " + at;
    }
}
