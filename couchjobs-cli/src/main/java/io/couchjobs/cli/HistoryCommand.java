package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code history}: shows runs, failures, waiting jobs and the duration of runs over time. */
@Command(
        name = "history",
        description = {
            "Show runs, failures, waiting jobs and how long runs took over time, with the marks of that time. Half of the runs",
            "took at most p50, and 95 percent of them at most p95.",
            "Minutes are kept for two days, hours and marks for 400 days. A day keeps its newest 100 marks. The present",
            "minute is shown only for workers that have closed."
        },
        footer = {
            "  couchjobs history",
            "  couchjobs history --type email --since 1d",
            "  couchjobs history --since 30d --step 1d -o json"
        })
final class HistoryCommand extends QueueCommand {
    private static final int USUAL_LINES = 30;
    private static final List<Duration> STEPS = List.of(
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Duration.ofHours(1),
            Duration.ofHours(6));

    @Option(names = "--type", paramLabel = "T", description = "Only this type.")
    private @Nullable String type;

    @Option(names = "--since", paramLabel = "D", description = "How far back; default 1h.")
    private Duration since = Duration.ofHours(1);

    @Option(
            names = "--step",
            paramLabel = "D",
            description =
                    "How much time each line covers: whole minutes, or whole hours. Default: from 1m to 1d, by --since.")
    private @Nullable Duration step;

    @Override
    void check() {
        if (type != null) {
            JobId.checkType(type);
        }
        if (since.isZero()) {
            throw CommandException.usage("--since must be positive");
        }
    }

    @Override
    ExitCode run(JobQueue queue) {
        Instant to = ServerTime.of(queue);
        Instant from = to.minus(since);
        History history = queue.operations().history();
        HistoryText text = new HistoryText(read(history, from, to), history.marks(from, to), type);
        output().table(text::table, text::json);
        return ExitCode.DONE;
    }

    private History.Chart read(History history, Instant from, Instant to) {
        Duration wanted = step == null ? usualStep() : step;
        try {
            return history.read(from, to, wanted);
        } catch (IllegalArgumentException wrong) {
            String problem = String.valueOf(wrong.getMessage());
            throw CommandException.usage("--step: " + problem.replace(wanted.toString(), Durations.format(wanted)));
        }
    }

    private Duration usualStep() {
        return STEPS.stream()
                .filter(usual -> usual.multipliedBy(USUAL_LINES * 2).compareTo(since) >= 0)
                .findFirst()
                .orElse(Duration.ofDays(1));
    }
}
