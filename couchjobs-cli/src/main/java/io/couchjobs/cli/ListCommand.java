package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: jobs, newest first. */
@Command(
        name = "list",
        description = {
            "List jobs, newest first: with a finished --status by the time of their end, otherwise of their creation.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {
            "",
            "Examples:",
            "  couchjobs list --type email --status failed",
            "  couchjobs list --tag nightly --limit 1000 -o ndjson | jq -r .id"
        })
final class ListCommand extends QueueCommand {
    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Option(names = "--limit", paramLabel = "N", description = "How many at most; default 100.")
    private int limit = 100;

    @Override
    void check() {
        which.check();
        if (limit < 1) {
            throw CommandException.usage("--limit must be at least 1: " + limit);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        List<Job> jobs = new IndexWait(queue, root().progress()).ask(() -> queue.list(which.filter(), limit));
        output().rows(
                        () -> JobText.table(jobs, Instant.now()),
                        () -> queue.withData(jobs.stream()).map(JobJson::of).toList());
        return ExitCode.DONE;
    }
}
