package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Time;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code reschedule}: gives pending jobs another time. */
@Command(
        name = "reschedule",
        description = "Give pending jobs another time. Exit code 4 when a job is not pending.",
        footer = {
            "  couchjobs reschedule email 42 --in 2h",
            "  couchjobs reschedule --type email --status stuck --all --yes --at 2030-01-31T08:00:00Z"
        })
final class RescheduleCommand extends JobsCommand {
    @Option(
            names = "--at",
            order = -1,
            paramLabel = "TIME",
            description = "Not before this time: ISO-8601, epoch seconds or milliseconds, or +5m from now.")
    private @Nullable Time at;

    @Option(
            names = "--in",
            order = -1,
            paramLabel = "DURATION",
            description = "Not before so long from now: 30s, 5m, 2h, 1d.")
    private @Nullable Duration in;

    private @Nullable Instant time;

    @Override
    void check() {
        super.check();
        if (at != null && in != null) {
            throw CommandException.usage("--at and --in exclude each other");
        } else if (at == null && in == null) {
            throw CommandException.usage("which time? Give --at TIME or --in DURATION");
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        Instant now = ServerTime.of(queue);
        time = in == null ? Objects.requireNonNull(at).from(now) : now.plus(in);
        return super.run(queue);
    }

    @Override
    String act(JobQueue queue, JobId id) {
        queue.reschedule(id.type(), id.id(), Objects.requireNonNull(time));
        return "due " + time;
    }
}
