package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import picocli.CommandLine.Command;

/** {@code cron run NAME}: makes a job of a schedule now. */
@Command(
        name = "run",
        description = "Make a job of a schedule now, beside its ticks; prints the id of the job.",
        footer = {"  couchjobs cron run nightly", "  couchjobs cron run nightly -o json"})
final class CronRunCommand extends CronNameCommand implements TellsIds {
    @Override
    ExitCode run(JobQueue queue) {
        Job job = queue.schedules().runNow(schedule());
        output().line(() -> job.id().id(), () -> JobJson.of(queue.withData(job)));
        return ExitCode.DONE;
    }
}
