package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.failures.Failures;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code failures cancel GROUP}: cancels the stuck jobs of a group. */
@Command(
        name = "cancel",
        description = {
            "Cancel the stuck jobs of a group: they are not retried.",
            "Its failed jobs are over already, and one that runs again meanwhile is left alone."
        },
        footer = {
            "  couchjobs failures cancel 1f0c33a9d2b4",
            "  couchjobs failures cancel 1f0c33a9d2b4 --type email --yes"
        })
final class FailuresCancelCommand extends FailureGroupCommand {
    @Override
    Stream<JobId> jobs(Failures failures, String group) {
        return failures.toCancel(group);
    }

    @Override
    String act(JobQueue queue, JobId id) {
        CancelResult result = queue.cancel(id, CancelMode.IF_QUEUED);
        if (result != CancelResult.CANCELLED && result != CancelResult.AT_NEXT_CLAIM) {
            throw new JobRefusedException(id, "is not stuck any more; nothing was written");
        }
        return "cancelled";
    }
}
