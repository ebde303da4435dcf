package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobId;
import io.couchjobs.type.TypeSettings;
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
        TypeSettings settings = queue.types().settings(type);
        if (settings.isPaused()) {
            settings = queue.types().change(type, stored -> stored.withPaused(false));
        } else {
            warnOfSlip(new KnownTypes(queue));
        }
        TypeText.show(output(), settings);
        return ExitCode.DONE;
    }

    private void warnOfSlip(KnownTypes types) {
        if (!types.mayHaveJobs(type)) {
            root().say("couchjobs: warning: there is no job of type " + type + ", and it was not paused"
                    + types.question(type));
        }
    }
}
