package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.output.Format;
import io.couchjobs.trigger.TriggerStatus;
import picocli.CommandLine.Command;

/** {@code trigger inspect NAME}: shows a trigger, and its progress in each database. */
@Command(
        name = "inspect",
        description = "Show a trigger, and how far it is in each of its databases.",
        footer = {"  couchjobs trigger inspect order-mail", "  couchjobs trigger inspect order-mail -o json"})
final class TriggerInspectCommand extends TriggerNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        TriggerStatus status = queue.triggers().status(trigger());
        if (output().format() == Format.TABLE) {
            output().table(() -> TriggerText.fields(status.trigger()), NullNode::getInstance);
            output().raw("");
        }
        output().table(() -> TriggerText.sources(status), () -> TriggerText.whole(status));
        return ExitCode.DONE;
    }
}
