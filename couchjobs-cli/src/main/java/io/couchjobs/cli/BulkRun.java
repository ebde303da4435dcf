package io.couchjobs.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.input.Durations;
import io.couchjobs.cli.input.JobLine;
import io.couchjobs.cli.output.ProgressLine;
import io.couchjobs.job.AddResult;
import io.couchjobs.job.JobId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stores the jobs of a file in batches, in constant memory. Bad lines are reported, and do not stop the others.
 *
 * @param <J> the form in which the file has jobs
 */
abstract class BulkRun<J> {
    private final Couchjobs root;
    private final ProgressLine progress;
    private final Rejections rejections;
    private final long started = System.nanoTime();
    /** The number of the last line up to which all lines are stored, rejected or left out. */
    private long lastDone;

    private long skipped;
    private long differing;
    private @Nullable JobId exampleOfDiffering;

    BulkRun(Couchjobs root) {
        this.root = root;
        this.progress = root.progress();
        this.rejections = new Rejections(root, progress);
    }

    ExitCode run(ReadAhead.Lines<J> file) throws IOException {
        ReadAhead<J> lines = ReadAhead.of(file, this::isWanted);
        Interrupts.onSignal(signal -> lines.stop());
        try {
            for (ReadAhead.Batch<J> batch = lines.next(); !batch.isEmpty(); batch = lines.next()) {
                take(batch);
            }
        } catch (IOException | RuntimeException trouble) {
            progress.clear();
            rejections.sayRest();
            root.warn("couchjobs: stopped after line " + lastDone + ": " + summary());
            throw trouble;
        }
        progress.clear();
        rejections.sayRest();
        if (exampleOfDiffering != null) {
            root.warn("couchjobs: " + differing + " of the jobs " + remark(exampleOfDiffering));
        }
        boolean isCutShort = lines.isCutShort();
        root.say("couchjobs: " + Counted.of(lastDone, "line") + " in " + took()
                + (isCutShort ? ", stopped before the end" : ""));
        root.output().line(this::summary, () -> json().set("rejected", rejections.json()));
        if (isCutShort) {
            return ExitCode.INTERRUPTED;
        }
        return rejected() == 0 && isComplete() ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** {@return whether to take a job of the file} Another thread calls this method. */
    abstract boolean isWanted(J job);

    /** Stores jobs, and returns the results in the same order. */
    abstract List<AddResult> store(List<J> jobs);

    /** Counts the outcome of a job that was not rejected. */
    abstract void count(J job, AddResult.Outcome outcome);

    /** {@return the counts so far, for people} */
    abstract String summary();

    /** {@return the counts as JSON for programs} */
    abstract ObjectNode json();

    /**
     * {@return the end of a message that begins with "7 of the jobs", about jobs that differ from their lines}
     *
     * @param example one of these jobs, which the message names
     */
    abstract String remark(JobId example);

    /** {@return whether the database has what the lines say, except for rejected lines} */
    boolean isComplete() {
        return true;
    }

    /** Counts a stored job that differs from its line, and stays as it is. */
    final void differs(JobId id) {
        differing++;
        exampleOfDiffering = exampleOfDiffering == null ? id : exampleOfDiffering;
    }

    /** {@return how many stored jobs differ from their lines} */
    final long differing() {
        return differing;
    }

    /** {@return how many jobs were left out because they were not wanted} */
    final long skipped() {
        return skipped;
    }

    /** {@return the number of rejected jobs and bad lines} */
    final long rejected() {
        return rejections.count();
    }

    private void take(ReadAhead.Batch<J> batch) {
        List<JobLine<J>> wanted = new ArrayList<>();
        for (JobLine<J> line : batch.lines()) {
            if (line.job().isPresent()) {
                wanted.add(line);
            } else {
                rejections.add(line.number(), String.valueOf(line.problem()));
            }
        }
        skipped += batch.leftOut();
        if (!wanted.isEmpty()) {
            lastDone = wanted.get(0).number() - 1;
            storeAll(wanted);
        }
        lastDone = batch.last();
        progress.update("couchjobs: " + Counted.of(lastDone, "line") + ", " + summary() + ", " + took());
    }

    private void storeAll(List<JobLine<J>> lines) {
        List<J> jobs = lines.stream().flatMap(line -> line.job().stream()).toList();
        List<AddResult> results = store(jobs);
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i).outcome() == AddResult.Outcome.REJECTED) {
                rejections.add(
                        lines.get(i).number(), String.valueOf(results.get(i).problem()));
            } else {
                count(jobs.get(i), results.get(i).outcome());
            }
        }
    }

    private String took() {
        return Durations.format(Duration.ofNanos(System.nanoTime() - started));
    }
}
