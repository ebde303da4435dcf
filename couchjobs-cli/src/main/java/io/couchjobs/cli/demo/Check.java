package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import io.couchjobs.cli.output.FileProblem;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** Computes every SHA-256 again, without a queue or workers, and compares it with the result of the job. */
final class Check {
    private static final int BATCH = 500;

    private final CouchDatabase database;
    private final List<Problem> failures = new ArrayList<>();
    private final List<Problem> mismatches = new ArrayList<>();
    private final List<Instant> ends = new ArrayList<>();
    private long succeeded;
    private long changed;
    private long bytes;

    Check(CouchDatabase database) {
        this.database = database;
    }

    /** The problem of a file's job. */
    record Problem(String path, String error) {}

    void run(List<FileJob> jobs, LongConsumer progress) throws InterruptedException {
        for (int start = 0; start < jobs.size(); start += BATCH) {
            List<FileJob> batch = jobs.subList(start, Math.min(jobs.size(), start + BATCH));
            List<Optional<Job>> stored = database
                    .getAll(batch.stream().map(job -> job.id().docId()).toList())
                    .stream()
                    .map(found -> found.map(Job::parse))
                    .toList();
            for (int i = 0; i < batch.size(); i++) {
                check(batch.get(i), stored.get(i));
                progress.accept(start + i + 1L);
            }
        }
    }

    long succeeded() {
        return succeeded;
    }

    /** Returns how many files were changed after their jobs had ended, so that their results can no longer be checked. */
    long changed() {
        return changed;
    }

    long bytes() {
        return bytes;
    }

    List<Problem> failures() {
        return failures;
    }

    List<Problem> mismatches() {
        return mismatches;
    }

    /**
     * Returns the jobs per second in the second half of the jobs, when all workers were at full speed; 0 when there were too few
     * jobs.
     */
    double steadyRate() {
        List<Instant> inOrder = ends.stream().sorted().toList();
        if (inOrder.size() < 2) {
            return 0;
        }
        List<Instant> half = inOrder.subList(inOrder.size() / 2 - 1, inOrder.size());
        Duration took = Duration.between(half.get(0), half.get(half.size() - 1));
        return took.isZero() ? 0 : (half.size() - 1) * 1_000.0 / took.toMillis();
    }

    private void check(FileJob asked, Optional<Job> stored) throws InterruptedException {
        Optional<JsonNode> result =
                stored.filter(job -> job.status() == JobStatus.SUCCESS).flatMap(Job::result);
        if (result.isEmpty()) {
            failures.add(new Problem(asked.file().toString(), whyFailed(stored)));
            return;
        }
        succeeded++;
        Instant end = stored.map(job -> job.times().get("finished")).orElse(Instant.EPOCH);
        ends.add(end);
        compare(asked, result.get().path("sha256").asText(), end);
    }

    private void compare(FileJob asked, String claimed, Instant end) throws InterruptedException {
        try {
            Sha256 recomputed = Sha256.of(asked.file());
            bytes += recomputed.bytes();
            boolean isRight = recomputed.sha256().equals(claimed);
            if (!isRight && Files.getLastModifiedTime(asked.file()).toInstant().isAfter(end)) {
                changed++;
            } else if (!isRight) {
                mismatches.add(new Problem(
                        asked.file().toString(), "the job says " + claimed + ", the file " + recomputed.sha256()));
            }
        } catch (IOException gone) {
            mismatches.add(new Problem(
                    asked.file().toString(), "cannot be read again: " + FileProblem.of(asked.file(), gone)));
        }
    }

    private static String whyFailed(Optional<Job> stored) {
        if (stored.isEmpty()) {
            return "its job is gone";
        }
        Job job = stored.get();
        String status = "its job is " + job.status().json();
        return job.errors().isEmpty()
                ? status
                : job.errors().get(job.errors().size() - 1).message();
    }
}
