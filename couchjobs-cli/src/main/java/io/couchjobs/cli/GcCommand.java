package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.GarbageCollection;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.cli.output.Table;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code gc}: deletes what retention allows, purges tombstones, and compacts. */
@Command(
        name = "gc",
        description = {
            "Make the database small again: delete the finished jobs that the retention of their types lets go,",
            "forget dead workers, remove design documents of other versions, purge tombstones, compact.",
            "Workers and other collections may go on meanwhile. If a collection is interrupted, the next one does the rest.",
            "Purging and compacting need an administrator of the server. Exit code 1 when not all could be done."
        },
        footer = {
            "  couchjobs gc --dry-run",
            "  couchjobs gc -o json",
            "  couchjobs gc --keep-tombstones 7d     the database is replicated once a day",
            "  couchjobs type set email --retention 7d"
        })
final class GcCommand extends QueueCommand {
    @Option(names = "--dry-run", description = "Write nothing; say what would be done.")
    private boolean dryRun;

    @Option(
            names = "--keep-tombstones",
            paramLabel = "D",
            description = {
                "Keep tombstones (what deleted jobs leave behind) at least this long, whether workers are there or not."
                        + " Default: 30d in a database that is named (init --site); elsewhere 10m, or twice the longest timeout"
                        + " of all types if that is longer. Without this option, and in a database without a name,"
                        + " tombstones of jobs that retention deleted are purged without delay while no worker is registered"
                        + " and nobody owns a job."
                        + " Choose a time that is longer than any worker may stand still, and longer than any replication may be"
                        + " behind. A database that never heard of a deletion replicates the job back."
            })
    private @Nullable Duration keepTombstones;

    @Override
    ExitCode run(JobQueue queue) throws InterruptedException {
        ProgressLine line = root().progress();
        GarbageCollection collection =
                queue.operations().gc().dryRun(dryRun).onProgress(now -> line.update(now.step() + ": " + now.done()));
        if (keepTombstones != null) {
            collection.keepTombstones(keepTombstones);
        }
        GarbageCollection.Report report = run(collection, line);
        output().table(() -> table(report), () -> json(report));
        report.problems().forEach(problem -> root().warn("couchjobs: " + problem));
        return report.problems().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static GarbageCollection.Report run(GarbageCollection collection, ProgressLine line)
            throws InterruptedException {
        try {
            return collection.run();
        } finally {
            line.clear();
        }
    }

    private static Table table(GarbageCollection.Report report) {
        Table table = new Table(report.dryRun() ? "WOULD BE DONE" : "DONE", "");
        report.jobsDeleted().forEach((type, jobs) -> row(table, "finished jobs deleted: " + type, jobs));
        if (report.jobsDeleted().isEmpty()) {
            row(table, "finished jobs deleted", 0);
        }
        row(table, "tombstones purged", report.tombstonesPurged());
        row(table, "tombstones kept for now", report.tombstonesKept());
        row(table, "dead workers forgotten", report.workersRemoved().size());
        row(
                table,
                "old design documents removed",
                report.designDocumentsRemoved().size());
        row(table, "bytes before", report.bytesBefore());
        row(table, "bytes after", report.bytesAfter());
        text(table, "took", Durations.format(report.took()));
        return table;
    }

    private static void row(Table table, String name, long number) {
        table.row(Cell.of(name), Cell.of(number));
    }

    private static void text(Table table, String name, String text) {
        table.row(Cell.of(name), Cell.of(text));
    }

    private static ObjectNode json(GarbageCollection.Report report) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("dryRun", report.dryRun());
        ObjectNode deleted = json.putObject("jobsDeleted");
        report.jobsDeleted().forEach(deleted::put);
        json.put("tombstonesPurged", report.tombstonesPurged()).put("tombstonesKept", report.tombstonesKept());
        report.workersRemoved().forEach(json.putArray("workersRemoved")::add);
        report.designDocumentsRemoved().forEach(json.putArray("designDocumentsRemoved")::add);
        json.put("bytesBefore", report.bytesBefore())
                .put("bytesAfter", report.bytesAfter())
                .put("seconds", report.took().toMillis() / 1000.0);
        report.problems().forEach(json.putArray("problems")::add);
        return json;
    }
}
