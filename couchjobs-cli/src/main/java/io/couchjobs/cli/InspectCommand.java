package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobNotFoundException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code inspect TYPE ID}: one job, whole. */
@Command(
        name = "inspect",
        description = "Show all about one job.",
        footer = {"", "Examples:", "  couchjobs inspect email 42", "  couchjobs inspect email 42 -o json | jq .result"})
final class InspectCommand extends QueueCommand {
    @Mixin
    private final JobName name = new JobName();

    @Override
    void check() {
        name.id();
    }

    @Override
    ExitCode run(JobQueue queue) {
        Job job = queue.get(name.id().type(), name.id().id()).orElseThrow(() -> new JobNotFoundException(name.id()));
        output().table(() -> JobText.whole(job), () -> JobJson.of(job));
        return ExitCode.DONE;
    }
}
