package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.Job;
import io.couchjobs.job.UnreadableDataException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code export}: writes jobs, a line of JSON each. */
@Command(
        name = "export",
        description = {
            "Write jobs to standard output, one JSON object per line: their documents, with all their fields but _rev.",
            "Not in it: logs, attachments other than their data, type settings, schedules. Jobs that change meanwhile",
            "are written as they were, or as they are. A job whose data cannot be read is named and left out; exit code",
            "1 at the end if there were any. Read it back with import."
        },
        footer = {
            "  couchjobs export > jobs.ndjson",
            "  couchjobs export --type email --status failed | gzip > failed.ndjson.gz",
            "  couchjobs export --url http://old:5984/jobs | couchjobs import - --url http://new:5984/jobs"
        })
final class ExportCommand extends QueueCommand implements TellsIds {
    private static final int FLUSH_EVERY = 500;

    @Mixin
    private final FilterOptions which = new FilterOptions();

    @Override
    void check() {
        which.check();
    }

    @Override
    ExitCode run(JobQueue queue) {
        PrintWriter out = root().shell().out();
        ProgressLine progress = root().progress();
        long started = System.nanoTime();
        long written = 0;
        long lost = 0;
        try (Stream<Job> jobs = queue.withData(queue.all(which.filter()))) {
            for (Iterator<Job> next = jobs.iterator(); next.hasNext(); ) {
                Optional<String> line = line(next.next(), progress);
                if (line.isEmpty()) {
                    lost++;
                    continue;
                }
                out.println(line.get());
                if (++written % FLUSH_EVERY == 0) {
                    if (out.checkError()) {
                        break;
                    }
                    progress.update("couchjobs: " + written + " jobs in " + took(started));
                }
            }
        } finally {
            progress.clear();
        }
        if (out.checkError()) {
            throw new CommandException(ExitCode.FAILED, "standard output was closed; not all jobs are in the export");
        }
        root().say("couchjobs: exported " + Counted.of(written, "job") + " in " + took(started));
        return lost == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Returns the line of a job. When its data is lost, prints a message and returns empty. */
    private Optional<String> line(Job job, ProgressLine progress) {
        try {
            ObjectNode document = job.withInlineData().toDocument();
            document.remove("_rev");
            document.remove("_attachments");
            document.remove("_conflicts");
            return Optional.of(document.toString());
        } catch (UnreadableDataException lost) {
            progress.clear();
            root().warn("couchjobs: not exported: " + lost.getMessage());
            return Optional.empty();
        }
    }

    private static String took(long started) {
        return Durations.format(Duration.ofNanos(System.nanoTime() - started));
    }
}
