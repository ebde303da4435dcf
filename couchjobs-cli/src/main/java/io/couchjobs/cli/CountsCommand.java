package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Table;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code counts}: counts jobs by type and status. */
@Command(
        name = "counts",
        description = {
            "Count jobs by type and status; name documents that have the id of a job, but are no jobs.",
            "With --by count them by group, class, origin, tag or correlation; jobs that have none are left out.",
            "WAITING has also the jobs of a paused type, those that wait for a time and those that wait for other jobs;",
            "SCHEDULED has those that a worker has claimed and not started.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {"  couchjobs counts", "  couchjobs counts --type email -o json", "  couchjobs counts --by group"})
final class CountsCommand extends QueueCommand {
    private static final int MALFORMED_SHOWN = 10;
    private static final int LIMIT = 1000;

    @Option(names = "--type", paramLabel = "T", description = "Only this type.")
    private @Nullable String type;

    @Option(
            names = "--by",
            paramLabel = "LABEL",
            completionCandidates = EnumNames.Labels.class,
            description = "Count by group, class, origin, tag or correlation in place of the type.")
    private JobFilter.@Nullable Label label;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "With --by: how many groups, classes and so on at most; default 1000.")
    private @Nullable Integer limit;

    @Override
    void check() {
        if (type != null) {
            JobId.checkType(type);
        }
        if (type != null && label != null) {
            throw CommandException.usage("--type and --by exclude each other: no index counts by both");
        }
        if (limit != null && label == null) {
            throw CommandException.usage("--limit needs --by");
        } else if (limit != null && limit < 1) {
            throw CommandException.usage("--limit must be at least 1: " + limit);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        return label == null ? byType(queue) : byLabel(queue, label, limit == null ? LIMIT : limit);
    }

    private ExitCode byLabel(JobQueue queue, JobFilter.Label by, int shown) throws Exception {
        // One entry more than wanted tells whether there are more.
        int most = (int) Math.min(Integer.MAX_VALUE, shown + 1L);
        Map<String, Map<JobStatus, Long>> counts = new LinkedHashMap<>(
                new IndexWait(queue, root().progress()).ask(() -> queue.types().countsBy(by, most)));
        boolean more = counts.size() > shown;
        List.copyOf(counts.keySet()).stream().skip(shown).forEach(counts::remove);
        String name = EnumNames.lowerCase(by);
        output().table(() -> table(name, counts), () -> json(name.endsWith("s") ? name + "es" : name + "s", counts));
        if (more) {
            root().say("couchjobs: there are more; --limit shows more than " + shown);
        }
        return ExitCode.DONE;
    }

    private ExitCode byType(JobQueue queue) throws Exception {
        Map<String, TypeCounts> counts = new IndexWait(queue, root().progress()).ask(queue.types()::counts);
        Map<String, TypeCounts> wanted =
                type == null ? counts : Map.of(type, counts.getOrDefault(type, new TypeCounts(Map.of(), null)));
        Map<String, Map<JobStatus, Long>> byStatus = new LinkedHashMap<>();
        wanted.forEach((name, count) -> byStatus.put(name, count.byStatus()));
        if (type != null && !counts.containsKey(type)) {
            new KnownTypes(queue).warning(type).ifPresent(root()::say);
        }
        output().table(() -> typeTable(wanted, ServerTime.of(queue)), () -> json("types", byStatus));
        queue.operations().malformed().entrySet().stream()
                .limit(MALFORMED_SHOWN)
                .forEach(document -> root().say("couchjobs: " + document.getKey()
                        + " is not a job and will never run: wrong field " + document.getValue()));
        return ExitCode.DONE;
    }

    private static Table table(String what, Map<String, Map<JobStatus, Long>> counts) {
        Table table = new Table(headings(what).toArray(new String[0]));
        counts.forEach((name, byStatus) -> table.row(cells(name, byStatus).toArray(new Cell[0])));
        return table;
    }

    private static Table typeTable(Map<String, TypeCounts> counts, Instant now) {
        List<String> headings = headings("type");
        headings.add("OLDEST DUE");
        Table table = new Table(headings.toArray(new String[0]));
        counts.forEach((name, count) -> {
            List<Cell> cells = cells(name, count.byStatus());
            cells.add(Cell.of(oldest(count, now)));
            table.row(cells.toArray(new Cell[0]));
        });
        return table;
    }

    private static List<String> headings(String what) {
        List<String> headings = new ArrayList<>(List.of(what.toUpperCase(Locale.ROOT)));
        for (JobStatus status : JobStatus.values()) {
            headings.add(status.json().toUpperCase(Locale.ROOT));
        }
        return headings;
    }

    private static List<Cell> cells(String name, Map<JobStatus, Long> byStatus) {
        List<Cell> cells = new ArrayList<>(List.of(Cell.of(name)));
        for (JobStatus status : JobStatus.values()) {
            cells.add(Cell.of(byStatus.getOrDefault(status, 0L)));
        }
        return cells;
    }

    private static String oldest(TypeCounts count, Instant now) {
        return count.oldestPending()
                .filter(due -> !due.isAfter(now))
                .map(due -> due.equals(Instant.EPOCH) ? "now" : Durations.format(Duration.between(due, now)) + " ago")
                .orElse("-");
    }

    private static ObjectNode json(String what, Map<String, Map<JobStatus, Long>> counts) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ObjectNode all = json.putObject(what);
        counts.forEach((name, byStatus) -> {
            ObjectNode statuses = all.putObject(name);
            for (JobStatus status : JobStatus.values()) {
                statuses.put(status.json(), byStatus.getOrDefault(status, 0L));
            }
        });
        return json;
    }
}
