package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.JobLine;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.AddResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes the jobs of a file in batches, in constant memory; bad lines are named and do not stop the others.
 *
 * @param <J> how the file has jobs
 */
abstract class BulkRun<J> {
    private static final int BATCH = 500;
    private static final int BATCH_CHARACTERS = 2 * 1024 * 1024;

    private final Couchjobs root;
    private final ProgressLine progress;
    private final Rejections rejections;
    private final long started = System.nanoTime();
    private final List<JobLine<J>> batch = new ArrayList<>();
    private int batchCharacters;
    private long lastLine;
    /** Up to this line, all are stored, rejected or left out. */
    private long lastDone;

    BulkRun(Couchjobs root) {
        this.root = root;
        this.progress = root.progress();
        this.rejections = new Rejections(root, progress);
    }

    /** The lines of a file. */
    interface Lines<J> {
        /** {@return the next line; empty at the end} */
        Optional<JobLine<J>> next() throws IOException;
    }

    ExitCode run(Lines<J> lines) throws IOException {
        try {
            for (Optional<JobLine<J>> line = lines.next(); line.isPresent(); line = lines.next()) {
                take(line.get());
            }
            flush();
        } catch (IOException | RuntimeException trouble) {
            progress.clear();
            rejections.sayRest();
            root.say("couchjobs: stopped after line " + lastDone + ": " + summary());
            throw trouble;
        }
        progress.clear();
        rejections.sayRest();
        remark().ifPresent(remark -> root.say("couchjobs: " + remark));
        root.say("couchjobs: " + Counted.of(lastLine, "line") + " in " + took());
        root.output().line(this::summary, () -> json().set("rejected", rejections.json()));
        return rejected() == 0 && isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** {@return whether to take a job of the file} */
    abstract boolean isWanted(J job);

    /** {@return in the same order, what became of the jobs} */
    abstract List<AddResult> store(List<J> jobs);

    /** Counts what became of a job, unless it was rejected. */
    abstract void count(J job, AddResult.Outcome outcome);

    /** {@return the counts so far, for people} */
    abstract String summary();

    /** {@return the counts, for programs} */
    abstract ObjectNode json();

    /** {@return what else is to be said at the end} */
    Optional<String> remark() {
        return Optional.empty();
    }

    /** {@return whether the database has all that the lines say, but for the rejected ones} */
    boolean isComplete() {
        return true;
    }

    /** {@return how many jobs were rejected, and lines bad} */
    final long rejected() {
        return rejections.count();
    }

    private void take(JobLine<J> line) {
        lastLine = line.number();
        if (line.job().isEmpty()) {
            rejections.add(line.number(), String.valueOf(line.problem()));
        } else if (isWanted(line.job().get())) {
            batch.add(line);
            batchCharacters += line.length();
            if (batch.size() == BATCH || batchCharacters > BATCH_CHARACTERS) {
                flush();
            }
        }
        if (batch.isEmpty()) {
            lastDone = lastLine;
        }
    }

    private void flush() {
        if (batch.isEmpty()) {
            return;
        }
        List<J> jobs = batch.stream().flatMap(line -> line.job().stream()).toList();
        List<AddResult> results = store(jobs);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).outcome() == AddResult.Outcome.REJECTED) {
                rejections.add(
                        batch.get(i).number(), String.valueOf(results.get(i).problem()));
            } else {
                count(jobs.get(i), results.get(i).outcome());
            }
        }
        batch.clear();
        batchCharacters = 0;
        progress.update("couchjobs: " + Counted.of(lastLine, "line") + ", " + summary() + ", " + took());
    }

    private String took() {
        return Durations.format(Duration.ofNanos(System.nanoTime() - started));
    }
}
