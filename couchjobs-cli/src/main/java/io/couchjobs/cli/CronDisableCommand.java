package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code cron disable NAME}. */
@Command(
        name = "disable",
        description = "Keep a schedule from making jobs until it is enabled.",
        footer = {"  couchjobs cron disable nightly", "  couchjobs cron disable nightly && couchjobs cron list"})
final class CronDisableCommand extends QueueCommand {
    @Parameters(paramLabel = "NAME", description = "The name of the schedule.")
    private String schedule = "";

    @Override
    ExitCode run(JobQueue queue) {
        ScheduleText.show(output(), queue.schedules().disable(schedule), ServerTime.of(queue));
        return ExitCode.DONE;
    }
}
