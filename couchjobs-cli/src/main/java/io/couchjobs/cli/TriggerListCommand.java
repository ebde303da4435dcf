package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.trigger.TriggerStatus;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code trigger list}: lists all triggers and their progress. */
@Command(
        name = "list",
        description =
                "List the triggers and how far they are; name documents that have the id of a trigger, but are no triggers.",
        footer = {"  couchjobs trigger list", "  couchjobs trigger list -o json"})
final class TriggerListCommand extends QueueCommand {
    @Override
    ExitCode run(JobQueue queue) {
        List<TriggerStatus> all = queue.triggers().statuses();
        output().rows(
                        () -> TriggerText.table(all),
                        () -> all.stream().map(TriggerText::json).toList());
        queue.triggers().malformed().values().forEach(problem -> root().say("couchjobs: " + problem));
        return ExitCode.DONE;
    }
}
