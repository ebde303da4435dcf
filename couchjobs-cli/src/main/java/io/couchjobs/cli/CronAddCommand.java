package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Time;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.ScheduleRequest;
import io.couchjobs.schedule.Schedules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cron add NAME EXPR TYPE}: creates or replaces a schedule. */
@Command(
        name = "add",
        description = {
            "Make jobs of TYPE at the times of a cron expression, or with --every at fixed intervals.",
            "EXPR has five fields - minute, hour, day of month, month, day of week - or six with the second first, or is",
            "@hourly, @daily, @weekly, @monthly or @yearly. Quote it: the shell has a meaning of its own for *.",
            "A schedule of that name is replaced; with the same times its ticks go on as they were."
        },
        footer = {
            "  couchjobs cron add nightly '30 2 * * MON-FRI' report --zone Europe/Berlin --data '{\"to\":\"ada\"}'",
            "  couchjobs cron add poll --every 5m fetch --missed skip",
            "  couchjobs cron add tick @hourly report --overlap allow"
        })
final class CronAddCommand extends CronNameCommand implements CreatesStore {
    @Parameters(
            index = "1",
            arity = "1..*",
            paramLabel = "[EXPR] TYPE",
            description = "The cron expression (not with --every), and the type of the jobs.")
    private List<String> rest = List.of();

    @Option(
            names = "--zone",
            paramLabel = "Z",
            description = "The time zone of EXPR, such as Europe/Berlin; default UTC.")
    private @Nullable String zone;

    @Option(names = "--every", paramLabel = "D", description = "In place of EXPR, the interval: 30s, 5m, 2h, 1d.")
    private @Nullable Duration every;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "The first tick of --every; default one interval from now.")
    private @Nullable Time from;

    @Option(
            names = "--missed",
            paramLabel = "once|skip|all",
            description =
                    "The jobs for ticks that came while nobody worked: one job for all (default), none, one for each.")
    private Schedule.MissedPolicy missed = Schedule.MissedPolicy.ONCE;

    @Option(
            names = "--overlap",
            paramLabel = "skip|allow",
            description =
                    "Whether a tick makes a job while an earlier job is unfinished: no (skip, the default) or yes (allow).")
    private Schedule.OverlapPolicy overlap = Schedule.OverlapPolicy.SKIP;

    @Option(names = "--disabled", description = "Keep it from making jobs until it is enabled.")
    private boolean disabled;

    @Mixin
    private final DataOption data = new DataOption();

    @Mixin
    private final TemplateOptions template = new TemplateOptions();

    private ScheduleRequest.@Nullable Builder request;

    @Override
    void check() {
        int wanted = every == null ? 2 : 1;
        if (rest.size() != wanted) {
            throw CommandException.usage(
                    every == null
                            ? "give NAME, EXPR and TYPE; an expression with blanks must be quoted: '30 2 * * *'"
                            : "give NAME and TYPE; with --every there is no EXPR");
        }
        ScheduleRequest.Builder builder = Schedule.named(schedule())
                .missed(missed)
                .overlap(overlap)
                .job(template.start(rest.get(wanted - 1))
                        .data(data.read(root().shell()))
                        .build());
        if (disabled) {
            builder.enabled(false);
        }
        request = timing(builder);
        start(request, Instant.now()).build();
    }

    @Override
    ExitCode run(JobQueue queue) {
        if (request == null) {
            throw new IllegalStateException("run before check");
        }
        Instant now = ServerTime.of(queue);
        Schedules.PutResult put = queue.schedules().put(start(request, now).build());
        ScheduleText.show(output(), put.schedule(), now);
        root().say("couchjobs: schedule " + schedule() + " " + meaning(put));
        return ExitCode.DONE;
    }

    private ScheduleRequest.Builder timing(ScheduleRequest.Builder builder) {
        if (every != null) {
            builder.every(every);
        } else {
            builder.cron(rest.get(0));
        }
        Optional.ofNullable(zone).ifPresent(builder::zone);
        return builder;
    }

    private ScheduleRequest.Builder start(ScheduleRequest.Builder builder, Instant now) {
        return from == null ? builder : builder.from(from.from(now));
    }

    private static String meaning(Schedules.PutResult put) {
        String what =
                switch (put.outcome()) {
                    case CREATED -> "was created";
                    case REPLACED -> "was there and is replaced";
                    case UNCHANGED -> "is there already, the same; nothing was written";
                };
        return put.schedule().isEnabled() ? what : what + "; it is disabled";
    }
}
