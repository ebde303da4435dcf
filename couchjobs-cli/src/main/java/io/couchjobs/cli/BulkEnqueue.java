package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.JobLine;
import io.couchjobs.cli.input.JobReader;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Adds the jobs of a file in batches, in constant memory; bad lines are named and do not stop the others. */
final class BulkEnqueue {
    private static final int BATCH = 500;
    private static final int BATCH_CHARACTERS = 2 * 1024 * 1024;

    private final JobQueue queue;
    private final Couchjobs root;
    private final ProgressLine progress;
    private final long started = System.nanoTime();
    private final Map<AddResult.Outcome, Long> counts = new EnumMap<>(AddResult.Outcome.class);
    private final Rejections rejections;
    private final boolean replace;
    private final List<JobLine> batch = new ArrayList<>();
    private int batchCharacters;
    private long lastLine;

    BulkEnqueue(JobQueue queue, Couchjobs root, boolean replace) {
        this.queue = queue;
        this.replace = replace;
        this.root = root;
        this.progress = root.progress();
        this.rejections = new Rejections(root, progress);
    }

    ExitCode run(JobReader reader) throws IOException {
        try {
            for (Optional<JobLine> line = reader.next(); line.isPresent(); line = reader.next()) {
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
        root.say("couchjobs: " + lastLine + " lines in " + took());
        root.output().line(this::summary, this::json);
        return count(AddResult.Outcome.REJECTED) == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void take(JobLine line) {
        if (line.request().isEmpty()) {
            reject(line.number(), String.valueOf(line.problem()));
            return;
        }
        batch.add(line);
        batchCharacters += line.length();
        if (batch.size() == BATCH || batchCharacters > BATCH_CHARACTERS) {
            flush();
        }
    }

    private void flush() {
        if (batch.isEmpty()) {
            return;
        }
        List<JobRequest> requests =
                batch.stream().flatMap(line -> line.request().stream()).toList();
        List<AddResult> results = replace ? queue.replaceAll(requests) : queue.addAll(requests);
        for (int i = 0; i < results.size(); i++) {
            record(batch.get(i), results.get(i));
        }
        batch.clear();
        batchCharacters = 0;
        progress.update("couchjobs: " + lastLine + " lines, " + summary() + ", " + took());
    }

    private void record(JobLine line, AddResult result) {
        if (result.outcome() == AddResult.Outcome.REJECTED) {
            reject(line.number(), String.valueOf(result.problem()));
            return;
        }
        lastLine = Math.max(lastLine, line.number());
        counts.merge(result.outcome(), 1L, Long::sum);
    }

    private void reject(long line, String problem) {
        lastLine = Math.max(lastLine, line);
        counts.merge(AddResult.Outcome.REJECTED, 1L, Long::sum);
        rejections.add(line, problem);
    }

    private String summary() {
        return "added " + count(AddResult.Outcome.ADDED) + ", updated " + updated() + ", unchanged "
                + count(AddResult.Outcome.UNCHANGED) + ", rejected " + count(AddResult.Outcome.REJECTED);
    }

    private ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("added", count(AddResult.Outcome.ADDED))
                .put("updated", updated())
                .put("unchanged", count(AddResult.Outcome.UNCHANGED));
        json.set("rejected", rejections.json());
        return json;
    }

    /** A running job that will run once more has been changed too. */
    private long updated() {
        return count(AddResult.Outcome.UPDATED) + count(AddResult.Outcome.RESUBMITTED);
    }

    private long count(AddResult.Outcome outcome) {
        return counts.getOrDefault(outcome, 0L);
    }

    private String took() {
        return Durations.format(Duration.ofNanos(System.nanoTime() - started));
    }
}
