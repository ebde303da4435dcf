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
import io.couchjobs.job.JobId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
    private long differing;
    private @Nullable JobId exampleOfDiffering;
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
        sayDiffering();
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
        compare(jobs, results);
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

    private void compare(List<Job> jobs, List<AddResult> results) {
        List<Job> unchangedOnes = IntStream.range(0, jobs.size())
                .filter(i -> results.get(i).outcome() == AddResult.Outcome.UNCHANGED)
                .mapToObj(jobs::get)
                .toList();
        List<JobId> others = new StoredJobs(queue).unlike(unchangedOnes);
        differing += others.size();
        if (exampleOfDiffering == null && !others.isEmpty()) {
            exampleOfDiffering = others.get(0);
        }
    }

    private void sayDiffering() {
        if (differing > 0) {
            root.say("couchjobs: " + differing
                    + " of the jobs that exist differ from their lines in status, data, result or time (such as "
                    + exampleOfDiffering
                    + "); they stay as they are. To take the lines in their place, remove the jobs first");
        }
    }

    private String summary() {
        return "added " + added + " (of which " + released + " were owned, and wait again), unchanged " + unchanged
                + " (of which " + differing + " differ), skipped " + skipped + ", rejected " + rejections.count();
    }

    private ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("added", added)
                .put("released", released)
                .put("unchanged", unchanged)
                .put("differing", differing)
                .put("skipped", skipped);
        json.set("rejected", rejections.json());
        return json;
    }

    private Duration took() {
        return Duration.ofNanos(System.nanoTime() - started);
    }
}
