package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import picocli.CommandLine.Command;

/** {@code retry}: jobs run now. */
@Command(
        name = "retry",
        description = "Let jobs run now: waiting for their time or their retry, or finished. Exit code 4 when running.",
        footer = {
            "",
            "Examples:",
            "  couchjobs retry email 42",
            "  couchjobs retry mail --array campaign-7 --status failed",
            "  couchjobs retry --type email --status failed --all",
            "  couchjobs retry --type email --status failed --where /to=ada@example.org --all --yes"
        })
final class RetryCommand extends JobsCommand {
    @Override
    String act(JobQueue queue, JobId id) {
        queue.retryNow(id.type(), id.id());
        return "waits for a worker now";
    }
}
