package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Table;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.type.TypeCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code counts}: how many jobs there are, by type and status. */
@Command(
        name = "counts",
        description = {
            "Count jobs by type and status; name documents that look like jobs and cannot be.",
            "While the server builds an index it waits, up to 10 minutes, and says how far the server is."
        },
        footer = {"", "Examples:", "  couchjobs counts", "  couchjobs counts --type email -o json"})
final class CountsCommand extends QueueCommand {
    private static final int MALFORMED_SHOWN = 10;

    @Option(names = "--type", paramLabel = "T", description = "Only this type.")
    private @Nullable String type;

    @Override
    void check() {
        if (type != null) {
            JobId.checkType(type);
        }
    }

    @Override
    ExitCode run(JobQueue queue) throws Exception {
        Map<String, TypeCounts> counts = new IndexWait(queue, root().progress()).ask(queue.types()::counts);
        Map<String, TypeCounts> wanted =
                type == null ? counts : Map.of(type, counts.getOrDefault(type, new TypeCounts(Map.of(), null)));
        output().table(() -> table(wanted, Instant.now()), () -> json(wanted));
        queue.operations().malformed().entrySet().stream()
                .limit(MALFORMED_SHOWN)
                .forEach(document -> root().say("couchjobs: " + document.getKey()
                        + " is not a job and will never run: wrong field " + document.getValue()));
        return ExitCode.DONE;
    }

    private static Table table(Map<String, TypeCounts> counts, Instant now) {
        List<String> headings = new ArrayList<>(List.of("TYPE"));
        for (JobStatus status : JobStatus.values()) {
            headings.add(status.json().toUpperCase(Locale.ROOT));
        }
        headings.add("OLDEST DUE");
        Table table = new Table(headings.toArray(new String[0]));
        counts.forEach((name, count) -> {
            List<Cell> cells = new ArrayList<>(List.of(Cell.of(name)));
            for (JobStatus status : JobStatus.values()) {
                cells.add(Cell.of(count.byStatus().getOrDefault(status, 0L)));
            }
            cells.add(Cell.of(oldest(count, now)));
            table.row(cells.toArray(new Cell[0]));
        });
        return table;
    }

    private static String oldest(TypeCounts count, Instant now) {
        return count.oldestPending()
                .filter(due -> !due.isAfter(now))
                .map(due -> due.equals(Instant.EPOCH) ? "now" : Durations.format(Duration.between(due, now)) + " ago")
                .orElse("-");
    }

    private static ObjectNode json(Map<String, TypeCounts> counts) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ObjectNode types = json.putObject("types");
        counts.forEach((name, count) -> {
            ObjectNode statuses = types.putObject(name);
            count.byStatus().forEach((status, number) -> statuses.put(status.json(), number));
        });
        return json;
    }
}
