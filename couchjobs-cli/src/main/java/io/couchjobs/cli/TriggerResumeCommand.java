package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;

/** {@code trigger resume NAME}: lets a paused trigger continue. */
@Command(
        name = "resume",
        description = "Let a paused trigger go on from where it is.",
        footer = {
            "  couchjobs trigger resume order-mail",
            "  couchjobs trigger resume order-mail && couchjobs trigger list"
        })
final class TriggerResumeCommand extends TriggerNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        TriggerText.done(output(), queue.triggers().resume(trigger()).name(), "resumed");
        return ExitCode.DONE;
    }
}
