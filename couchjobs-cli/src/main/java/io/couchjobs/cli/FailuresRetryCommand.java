package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.failures.Failures;
import io.couchjobs.job.JobId;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code failures retry GROUP}: lets all jobs of a group run now. */
@Command(
        name = "retry",
        description = "Let all jobs of a group run now.",
        footer = {"  couchjobs failures retry 1f0c33a9d2b4", "  couchjobs failures retry 1f0c33a9d2b4 --since 1h --yes"
        })
final class FailuresRetryCommand extends FailureGroupCommand {
    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept with the jobs, where inspect shows it.")
    private @Nullable String reason;

    @Override
    Stream<JobId> jobs(Failures failures, String group) {
        return failures.toRetry(group);
    }

    @Override
    String act(JobQueue queue, JobId id) {
        return RetryCommand.retry(queue, id, reason);
    }
}
