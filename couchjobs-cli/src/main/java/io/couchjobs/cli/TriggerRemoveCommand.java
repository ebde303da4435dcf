package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;

/** {@code trigger remove NAME}: removes a trigger. */
@Command(
        name = "remove",
        description = "Remove a trigger, even a malformed one, and its positions; the jobs it made stay.",
        footer = {
            "  couchjobs trigger remove order-mail",
            "  couchjobs trigger remove order-mail && couchjobs trigger list"
        })
final class TriggerRemoveCommand extends TriggerNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        queue.triggers().remove(trigger());
        TriggerText.done(output(), trigger(), "removed");
        return ExitCode.DONE;
    }
}
