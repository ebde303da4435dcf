package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.trigger.TriggerStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code trigger inspect NAME}: a trigger, and how far it is in each database. */
@Command(
        name = "inspect",
        description = "Show a trigger, and how far it is in each of its databases.",
        footer = {
            "",
            "Examples:",
            "  couchjobs trigger inspect order-mail",
            "  couchjobs trigger inspect order-mail -o json"
        })
final class TriggerInspectCommand extends QueueCommand {
    @Parameters(paramLabel = "NAME", description = "The name of the trigger.")
    private String trigger = "";

    @Override
    ExitCode run(JobQueue queue) {
        TriggerStatus status = queue.triggers().status(trigger);
        output().table(() -> TriggerText.sources(status), () -> TriggerText.whole(status));
        return ExitCode.DONE;
    }
}
