package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.failures.FailureGroup;
import io.couchjobs.dashboard.view.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code failures}: lists failed and stuck jobs, grouped by error. */
@Command(
        name = "failures",
        description = {
            "Group failed and stuck jobs by type and last error. Numbers and ids in an error do not count.",
            "Failed jobs are over; stuck ones are retried later. The latest failure comes first."
        },
        subcommands = {FailuresRetryCommand.class, FailuresCancelCommand.class},
        footer = {
            "  couchjobs failures --since 1d",
            "  couchjobs failures --new-since v1.4",
            "  couchjobs failures --type email -o json | jq -r '.[0].message'",
            "  couchjobs failures retry 1f0c33a9d2b4 --yes"
        })
final class FailuresCommand extends QueueCommand {
    private static final Duration MARKS = Duration.ofDays(30);

    @Mixin
    private final FailureOptions which = new FailureOptions();

    @Option(
            names = "--new-since",
            paramLabel = "DURATION|MARK",
            description =
                    "Only groups without an earlier failure. The time is an age such as 2h, or a mark of the last 30"
                            + " days (couchjobs mark).")
    private @Nullable String newSince;

    @Override
    void check() {
        which.check();
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        Instant now = ServerTime.of(queue);
        Instant newest = newSince == null ? Instant.MIN : time(newSince, queue, now);
        List<FailureGroup> groups = new IndexWait(queue, root().progress()).ask(() -> groups(queue, newest, now));
        output().rows(
                        () -> table(groups, now),
                        () -> groups.stream().map(FailureGroup::json).toList());
        return ExitCode.DONE;
    }

    /**
     * Returns the groups to list. Whether a group is new depends on all of its failures, even those that are too old to be
     * listed.
     */
    private List<FailureGroup> groups(JobQueue queue, Instant newest, Instant now) {
        List<FailureGroup> listed = which.failures(queue).groups(now);
        if (newSince == null) {
            return listed;
        }
        List<FailureGroup> all = which.areRecentOnly() ? which.ofAllTime(queue).groups(now) : listed;
        Set<String> known = all.stream()
                .filter(group -> !group.first().isAfter(newest))
                .map(FailureGroup::id)
                .collect(Collectors.toSet());
        return listed.stream().filter(group -> !known.contains(group.id())).toList();
    }

    /** Returns a time in the past: a duration ago, or that of a mark. Text that is not a duration names a mark. */
    private static Instant time(String durationOrMark, JobQueue queue, Instant now) {
        try {
            return now.minus(Durations.parse(durationOrMark));
        } catch (IllegalArgumentException mark) {
            return queue.operations().history().marks(now.minus(MARKS), now).stream()
                    .filter(known -> known.text().equals(durationOrMark))
                    .reduce((one, later) -> later)
                    .map(History.Mark::at)
                    .orElseThrow(() -> CommandException.usage(
                            "--new-since must be a DURATION such as 2h, or a mark of the last " + MARKS.toDays()
                                    + " days (couchjobs history shows them), but is '" + durationOrMark + "'"));
        }
    }

    private static Table table(List<FailureGroup> groups, Instant now) {
        Table table = new Table("GROUP", "TYPE", "FAILED", "STUCK", "1H", "FIRST", "LAST", "EXAMPLE", "MESSAGE");
        groups.forEach(group -> table.row(
                Cell.of(group.id()),
                Cell.of(group.type()),
                Cell.of(Long.toString(group.failed()), group.failed() > 0 ? Style.BAD : Style.PLAIN),
                Cell.of(Long.toString(group.stuck()), group.stuck() > 0 ? Style.WARNING : Style.PLAIN),
                Cell.of(Long.toString(group.lastHour())),
                Cell.of(ago(group.first(), now)),
                Cell.of(ago(group.last(), now)),
                Cell.of(group.example().id()),
                Cell.of(group.message())));
        return table;
    }

    private static String ago(Instant time, Instant now) {
        Duration age = Duration.between(time, now);
        return (age.isNegative() ? "0ms" : Durations.format(age)) + " ago";
    }
}
