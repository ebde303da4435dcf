package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import picocli.CommandLine.Command;

/** {@code remove}: deletes jobs. */
@Command(
        name = "remove",
        description = "Delete jobs, in whatever state; the run of a running job is stopped.",
        footer = {"  couchjobs remove email 42", "  couchjobs remove --type email --status success --all --yes"})
final class RemoveCommand extends JobsCommand {
    @Override
    String act(JobQueue queue, JobId id) {
        queue.remove(id.type(), id.id());
        return "removed";
    }
}
