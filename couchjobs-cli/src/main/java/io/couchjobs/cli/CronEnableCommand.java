package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import picocli.CommandLine.Command;

/** {@code cron enable NAME}: lets a schedule make jobs again. */
@Command(
        name = "enable",
        description = "Let a schedule make jobs again, from its next time on.",
        footer = {"  couchjobs cron enable nightly", "  couchjobs cron enable nightly -o json"})
final class CronEnableCommand extends CronNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        ScheduleText.show(output(), queue.schedules().enable(schedule()), ServerTime.of(queue));
        return ExitCode.DONE;
    }
}
