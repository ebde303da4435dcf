package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.couchjobs.JobQueue;
import picocli.CommandLine.Command;

/** {@code cron remove NAME}: removes a schedule. */
@Command(
        name = "remove",
        description = "Remove a schedule, even a malformed one; the jobs it made stay.",
        footer = {"  couchjobs cron remove nightly", "  couchjobs cron remove nightly && couchjobs cron list"})
final class CronRemoveCommand extends CronNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        queue.schedules().remove(schedule());
        output().line(() -> schedule() + " removed", () -> JsonNodeFactory.instance
                .objectNode()
                .put("name", schedule())
                .put("result", "removed"));
        return ExitCode.DONE;
    }
}
