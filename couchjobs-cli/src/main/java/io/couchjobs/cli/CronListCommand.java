package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.schedule.Schedule;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code cron list}: lists all schedules and their next ticks. */
@Command(
        name = "list",
        description =
                "List the schedules and their next times; name documents that have the id of a schedule, but are no schedules.",
        footer = {"  couchjobs cron list", "  couchjobs cron list --next 5 -o json"})
final class CronListCommand extends QueueCommand {
    private static final int MOST = 1000;

    @Option(names = "--next", paramLabel = "N", description = "How many times to show of each; default 1.")
    private int next = 1;

    @Override
    void check() {
        if (next < 1 || next > MOST) {
            throw CommandException.usage("--next must be 1 to " + MOST);
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        List<Schedule> schedules = queue.schedules().list();
        Instant now = ServerTime.of(queue);
        output().rows(() -> ScheduleText.table(schedules, now, next), () -> schedules.stream()
                .map(schedule -> ScheduleText.json(schedule, now, next))
                .toList());
        queue.schedules().malformed().values().forEach(problem -> root().say("couchjobs: " + problem));
        return ExitCode.DONE;
    }
}
