package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.ExportReader;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Puts the jobs of an export back in batches, in constant memory; bad lines are named and do not stop the others. */
final class BulkImport {
    private static final int BATCH = 500;
    private static final int BATCH_CHARACTERS = 2 * 1024 * 1024;

    private final JobQueue queue;
    private final Couchjobs root;
    private final JobFilter filter;
    private final ProgressLine progress;
    private final Rejections rejections;
    private final long started = System.nanoTime();
    private final List<ExportReader.Line> batch = new ArrayList<>();
    private int batchCharacters;
    private long lastLine;
    private long added;
    private long released;
    private long unchanged;
    private long skipped;

    BulkImport(JobQueue queue, Couchjobs root, JobFilter filter) {
        this.queue = queue;
        this.root = root;
        this.filter = filter;
        this.progress = root.progress();
        this.rejections = new Rejections(root, progress);
    }

    ExitCode run(ExportReader reader) throws IOException {
        try {
            for (Optional<ExportReader.Line> line = reader.next(); line.isPresent(); line = reader.next()) {
                take(line.get());
            }
            flush();
        } catch (IOException | RuntimeException trouble) {
            progress.clear();
            rejections.sayRest();
            root.say("couchjobs: stopped after line " + lastLine + ": " + summary());
            throw trouble;
        }
        progress.clear();
        rejections.sayRest();
        root.say("couchjobs: " + lastLine + " lines in " + Durations.format(took()));
        root.output().line(this::summary, this::json);
        return rejections.count() == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void take(ExportReader.Line line) {
        Optional<Job> job = line.job();
        if (job.isEmpty()) {
            lastLine = line.number();
            rejections.add(line.number(), String.valueOf(line.problem()));
        } else if (!filter.matches(job.get())) {
            lastLine = line.number();
            skipped++;
        } else {
            batch.add(line);
            batchCharacters += line.length();
            if (batch.size() == BATCH || batchCharacters > BATCH_CHARACTERS) {
                flush();
            }
        }
    }

    private void flush() {
        List<Job> jobs = batch.stream().flatMap(line -> line.job().stream()).toList();
        List<AddResult> results = queue.operations().restore(jobs);
        for (int i = 0; i < results.size(); i++) {
            record(batch.get(i).number(), jobs.get(i), results.get(i));
        }
        batch.clear();
        batchCharacters = 0;
        progress.update("couchjobs: " + lastLine + " lines, " + summary() + ", " + Durations.format(took()));
    }

    private void record(long line, Job copy, AddResult result) {
        lastLine = Math.max(lastLine, line);
        switch (result.outcome()) {
            case ADDED -> {
                added++;
                released += copy.status().isLocked() ? 1 : 0;
            }
            case REJECTED -> rejections.add(line, String.valueOf(result.problem()));
            case UNCHANGED, UPDATED, RESUBMITTED -> unchanged++;
        }
    }

    private String summary() {
        return "added " + added + " (of which " + released + " were owned, and wait again), unchanged " + unchanged
                + ", skipped " + skipped + ", rejected " + rejections.count();
    }

    private ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("added", added)
                .put("released", released)
                .put("unchanged", unchanged)
                .put("skipped", skipped);
        json.set("rejected", rejections.json());
        return json;
    }

    private Duration took() {
        return Duration.ofNanos(System.nanoTime() - started);
    }
}
