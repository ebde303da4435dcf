package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code trigger pause NAME}. */
@Command(
        name = "pause",
        description = "Let a trigger make no jobs. Its position stays, so that it misses nothing.",
        footer = {
            "  couchjobs trigger pause order-mail",
            "  couchjobs trigger pause order-mail && couchjobs trigger list"
        })
final class TriggerPauseCommand extends QueueCommand {
    @Parameters(paramLabel = "NAME", description = "The name of the trigger.")
    private String trigger = "";

    @Override
    ExitCode run(JobQueue queue) {
        TriggerText.done(output(), queue.triggers().pause(trigger).name(), "paused");
        return ExitCode.DONE;
    }
}
