package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code retry}: lets jobs run now. */
@Command(
        name = "retry",
        description = {
            "Let jobs run now: jobs that wait for their time or their retry, and finished jobs.",
            "Exit code 4 when the job is running."
        },
        footer = {
            "  couchjobs retry email 42 --reason 'the mail server is back'",
            "  couchjobs retry mail --array campaign-7 --status failed",
            "  couchjobs retry --type email --status failed --all",
            "  couchjobs retry --type email --status failed --where /to=ada@example.org --all --yes"
        })
final class RetryCommand extends JobsCommand {
    @Option(
            names = "--reason",
            order = -1,
            paramLabel = "TEXT",
            description = "Why; kept with the job, where inspect shows it.")
    private @Nullable String reason;

    @Override
    String act(JobQueue queue, JobId id) {
        return retry(queue, id, reason);
    }

    static String retry(JobQueue queue, JobId id, @Nullable String reason) {
        if (reason == null) {
            queue.retryNow(id);
        } else {
            queue.retryNow(id, reason);
        }
        return "waits for a worker now";
    }
}
