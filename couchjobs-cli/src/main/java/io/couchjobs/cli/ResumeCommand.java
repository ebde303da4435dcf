package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code resume TYPE}: workers claim jobs of the type again. */
@Command(
        name = "resume",
        description = "Let workers claim jobs of a type again.",
        footer = {"", "Examples:", "  couchjobs resume email", "  couchjobs resume email -o json"})
final class ResumeCommand extends QueueCommand {
    @Parameters(paramLabel = "TYPE", description = "The type.")
    private String type = "";

    @Override
    void check() {
        JobId.checkType(type);
    }

    @Override
    ExitCode run(JobQueue queue) {
        TypeText.show(output(), queue.types().change(type, settings -> settings.withPaused(false)));
        return ExitCode.DONE;
    }
}
