package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;

/** {@code trigger pause NAME}: keeps a trigger from making jobs. */
@Command(
        name = "pause",
        description = "Let a trigger make no jobs. Its position stays, so that it misses nothing.",
        footer = {
            "  couchjobs trigger pause order-mail",
            "  couchjobs trigger pause order-mail && couchjobs trigger list"
        })
final class TriggerPauseCommand extends TriggerNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        TriggerText.done(output(), queue.triggers().pause(trigger()).name(), "paused");
        return ExitCode.DONE;
    }
}
