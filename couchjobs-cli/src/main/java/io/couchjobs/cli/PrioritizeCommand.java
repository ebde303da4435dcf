package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code prioritize}: gives pending jobs another priority. */
@Command(
        name = "prioritize",
        description = "Give pending jobs another priority. Exit code 4 when a job is not pending.",
        footer = {
            "  couchjobs prioritize email 42 --priority 75",
            "  couchjobs prioritize --tag urgent --status waiting --all --yes --priority 99"
        })
final class PrioritizeCommand extends JobsCommand {
    @Option(
            names = "--priority",
            order = -1,
            required = true,
            paramLabel = "N",
            description = "0 (least) to 99; jobs have 50 unless told otherwise.")
    private int priority;

    @Override
    void check() {
        super.check();
        if (priority < 0 || priority > 99) {
            throw CommandException.usage("--priority must be 0 to 99: " + priority);
        }
    }

    @Override
    String act(JobQueue queue, JobId id) {
        queue.setPriority(id.type(), id.id(), priority);
        return "has priority " + priority;
    }
}
