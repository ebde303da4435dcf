package io.couchjobs.cli.demo;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.cli.output.Cell;
import io.couchjobs.cli.output.Table;
import java.util.List;

/**
 * The results of a demonstration. Immutable and thread-safe.
 *
 * @param jobs the number of jobs
 * @param succeeded how many jobs succeeded
 * @param bytes how many bytes were hashed
 * @param seconds how long the workers took, from their start
 * @param steadyRate jobs per second in the second half of the run; 0 when there were too few
 * @param workers the work of each worker
 * @param failures the files whose jobs failed
 * @param mismatches the files whose results are wrong
 * @param changed how many files were changed after their jobs, and so cannot be checked
 */
public record Summary(
        long jobs,
        long succeeded,
        long bytes,
        double seconds,
        double steadyRate,
        List<Worker> workers,
        List<Check.Problem> failures,
        List<Check.Problem> mismatches,
        long changed) {
    private static final int SHOWN = 20;

    /**
     * The work of one worker process. Immutable and thread-safe.
     *
     * @param id its name
     * @param claimed jobs that the worker claimed
     * @param succeeded jobs that succeeded
     * @param failed jobs that failed for good
     * @param retries jobs that run again: failed with retries left, or taken back from a dead worker
     * @param conflicts claims that were lost to other workers: answered by a 409
     */
    public record Worker(String id, long claimed, long succeeded, long failed, long retries, long conflicts) {}

    /** {@return whether every job succeeded and every result is right} */
    public boolean isPerfect() {
        return failures.isEmpty() && mismatches.isEmpty();
    }

    /** {@return the work of each worker} */
    public Table table() {
        Table table = new Table("WORKER", "JOBS", "FAILED", "RETRIES", "CLAIMS LOST (409)");
        workers.forEach(worker -> table.row(
                Cell.of(worker.id),
                Cell.of(worker.succeeded),
                Cell.of(worker.failed),
                Cell.of(worker.retries),
                Cell.of(worker.conflicts)));
        return table;
    }

    /** {@return the results in two lines} */
    public List<String> lines() {
        return List.of(
                String.format(
                        "%s%d jobs, %s, in %.1f s with the start, %d claims lost to another, %d retries",
                        headline(), jobs, size(), seconds, conflicts(), retries()),
                String.format(
                        "check: %d results recomputed, %d agree, %d differ; %d jobs failed%s",
                        succeeded,
                        succeeded - changed - mismatches.size(),
                        mismatches.size(),
                        failures.size(),
                        changed == 0 ? "" : "; " + changed + " files were changed meanwhile"));
    }

    /** {@return the first few files whose jobs failed or whose results are wrong} */
    public List<String> problems() {
        List<String> all = java.util.stream.Stream.concat(
                        failures.stream().map(problem -> "failed: " + problem.path() + ": " + problem.error()),
                        mismatches.stream().map(problem -> "wrong: " + problem.path() + ": " + problem.error()))
                .toList();
        if (all.size() <= SHOWN) {
            return all;
        }
        List<String> some = new java.util.ArrayList<>(all.subList(0, SHOWN));
        some.add("... and " + (all.size() - SHOWN) + " more");
        return some;
    }

    /** {@return the results as JSON for programs} */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("jobs", jobs)
                .put("succeeded", succeeded)
                .put("failed", failures.size())
                .put("mismatches", mismatches.size())
                .put("changed", changed)
                .put("workers", workers.size())
                .put("conflicts", conflicts())
                .put("retries", retries())
                .put("bytes", bytes)
                .put("seconds", Math.round(seconds * 1000) / 1000.0)
                .put("jobsPerSecond", Math.round(jobsPerSecond() * 10) / 10.0)
                .put("steadyJobsPerSecond", Math.round(steadyRate * 10) / 10.0);
        ArrayNode each = json.putArray("perWorker");
        workers.forEach(worker -> each.addObject()
                .put("id", worker.id)
                .put("claimed", worker.claimed)
                .put("succeeded", worker.succeeded)
                .put("failed", worker.failed)
                .put("retries", worker.retries)
                .put("conflicts", worker.conflicts));
        add(json.putArray("failures"), failures);
        add(json.putArray("wrong"), mismatches);
        return json;
    }

    private static void add(ArrayNode array, List<Check.Problem> problems) {
        problems.forEach(
                problem -> array.addObject().put("path", problem.path()).put("error", problem.error()));
    }

    private long conflicts() {
        return workers.stream().mapToLong(Worker::conflicts).sum();
    }

    private long retries() {
        return workers.stream().mapToLong(Worker::retries).sum();
    }

    private double jobsPerSecond() {
        return seconds > 0 ? jobs / seconds : 0;
    }

    private String headline() {
        return steadyRate > 0
                ? String.format("%.0f jobs/s by %d processes at full speed; ", steadyRate, workers.size())
                : "";
    }

    private String size() {
        return bytes < 1_000_000 ? bytes / 1_000 + " kB" : String.format("%.1f MB", bytes / 1e6);
    }
}
