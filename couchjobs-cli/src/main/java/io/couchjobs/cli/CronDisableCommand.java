package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import picocli.CommandLine.Command;

/** {@code cron disable NAME}: keeps a schedule from making jobs. */
@Command(
        name = "disable",
        description = "Keep a schedule from making jobs until it is enabled.",
        footer = {"  couchjobs cron disable nightly", "  couchjobs cron disable nightly && couchjobs cron list"})
final class CronDisableCommand extends CronNameCommand {
    @Override
    ExitCode run(JobQueue queue) {
        ScheduleText.show(output(), queue.schedules().disable(schedule()), ServerTime.of(queue));
        return ExitCode.DONE;
    }
}
