package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import picocli.CommandLine.Command;

/** {@code failures retry GROUP}. */
@Command(
        name = "retry",
        description = "Let all jobs of a group run now.",
        footer = {
            "",
            "Examples:",
            "  couchjobs failures retry 1f0c33a9",
            "  couchjobs failures retry 1f0c33a9 --since 1h --yes"
        })
final class FailuresRetryCommand extends FailureGroupCommand {
    @Override
    JobStatus[] statuses() {
        return new JobStatus[] {JobStatus.FAILED, JobStatus.STUCK};
    }

    @Override
    String act(JobQueue queue, JobId id) {
        queue.retryNow(id);
        return "waits for a worker now";
    }
}
