package io.couchjobs.cli;

import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.ExportReader;
import java.io.IOException;
import java.io.InputStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code import}: restores exported jobs. */
@Command(
        name = "import",
        description = {
            "Put exported jobs into the database, in the state they were in, with their errors, results and times.",
            "A job that was owned (scheduled or running) when it was exported waits again, as after release: its",
            "former owner does not own this copy. Jobs that exist here stay as they are, so an interrupted import can simply",
            "be repeated. It counts how many of these differ from their lines, in status, data, result or time.",
            "Bad lines are skipped, and the first 20 named by number; exit code 1 at the end if there were any.",
            "Stop the workers of the old database before you move jobs: both would run them.",
            "Jobs of another queue come the same way, from lines that you make: docs/coming-from.md has a program."
        },
        footer = {
            "  couchjobs import jobs.ndjson",
            "  couchjobs import jobs.ndjson --type email --status failed",
            "  gunzip -c jobs.ndjson.gz | couchjobs import -"
        })
final class ImportCommand extends QueueCommand implements CreatesStore {
    @Parameters(index = "0", paramLabel = "FILE|-", description = "A file that export wrote, or lines like it.")
    private String file = "";

    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Override
    void check() {
        which.check();
        InputFile.check(file);
    }

    @Override
    ExitCode run(JobQueue queue) throws IOException {
        try (InputStream in = InputFile.open(file, root().shell())) {
            return new BulkImport(queue, root(), which.filter()).run(new ExportReader(in)::next);
        }
    }
}
