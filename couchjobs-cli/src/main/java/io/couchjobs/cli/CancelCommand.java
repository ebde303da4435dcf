package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cancel}: cancels a pending job at once, and asks the owner of a running job to stop. */
@Command(
        name = "cancel",
        description =
                "Cancel jobs; the worker of a running job is asked to stop. Exit code 4 when a job has finished already.",
        footer = {
            "  couchjobs cancel email 42",
            "  couchjobs cancel email 42 --if-queued",
            "  couchjobs cancel email 42 --reason 'the customer called'",
            "  couchjobs cancel mail --array campaign-7 --yes",
            "  couchjobs cancel --type email --status stuck --all --yes"
        })
final class CancelCommand extends JobsCommand {
    @Option(names = "--if-queued", order = -1, description = "Leave running jobs alone (exit code 4).")
    private boolean ifQueued;

    @Option(
            names = "--reason",
            order = -1,
            paramLabel = "TEXT",
            description = "Why; kept with the job, where inspect shows it.")
    private @Nullable String reason;

    @Override
    String act(JobQueue queue, JobId id) {
        CancelMode mode = ifQueued ? CancelMode.IF_QUEUED : CancelMode.REQUEST;
        CancelResult result = reason == null ? queue.cancel(id, mode) : queue.cancel(id, mode, reason);
        return switch (result) {
            case CANCELLED -> "cancelled";
            case REQUESTED -> "is running, its worker was asked to stop";
            case AT_NEXT_CLAIM -> "is cancelled by the next worker that claims it, and is not run";
            case RUNNING -> throw new JobRefusedException(id, "is running; nothing was written");
            case ALREADY_FINISHED -> throw new JobRefusedException(id, "has finished already; nothing was written");
        };
    }
}
