package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Style;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.failures.FailureGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code failures}: failed and stuck jobs, by what went wrong. */
@Command(
        name = "failures",
        description = {
            "List failed and stuck jobs in groups: by type and last error, numbers and ids in it aside.",
            "Failed jobs are over; stuck ones are retried later. The latest failure comes first."
        },
        subcommands = {FailuresRetryCommand.class, FailuresCancelCommand.class},
        footer = {
            "",
            "Examples:",
            "  couchjobs failures --since 1d",
            "  couchjobs failures --new-since 2h",
            "  couchjobs failures --type email -o json | jq -r '.[0].message'",
            "  couchjobs failures retry 1f0c33a9 --yes"
        })
final class FailuresCommand extends QueueCommand {
    @Mixin
    private final FailureOptions which = new FailureOptions();

    @Option(
            names = "--new-since",
            paramLabel = "DURATION",
            description = "Only groups without a failure before that, such as those that came with a deploy 2h ago.")
    private @Nullable Duration newSince;

    @Override
    void check() {
        which.check();
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        Instant now = Instant.now();
        Instant newest = newSince == null ? Instant.MIN : now.minus(newSince);
        List<FailureGroup> groups = new IndexWait(queue, root().progress())
                .ask(() -> which.failures(queue).groups(now)).stream()
                        .filter(group -> group.first().isAfter(newest))
                        .toList();
        output().rows(
                        () -> table(groups, now),
                        () -> groups.stream().map(FailureGroup::json).toList());
        return ExitCode.DONE;
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
