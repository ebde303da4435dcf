package io.couchjobs.cli.top;

import io.couchjobs.JobQueue;
import io.couchjobs.dashboard.view.ServerTime;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WorkerInfo;
import io.couchjobs.type.TypeCounts;
import io.couchjobs.type.TypeSettings;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of a queue at one moment. Immutable.
 *
 * @param database the name of the database
 * @param now the server's time
 * @param types the numbers of jobs, by type
 * @param paused the paused types
 * @param workers the registered workers
 * @param failures jobs that failed for good, and those that wait for a retry, the latest failure first
 * @param rates the recent rates at which runs ended
 */
record Snapshot(
        String database,
        Instant now,
        Map<String, TypeCounts> types,
        Set<String> paused,
        List<WorkerInfo> workers,
        List<Job> failures,
        Meter.Rates rates) {
    private static final int FAILURES = 50;

    /**
     * Reads the state of a queue.
     *
     * @param only the type whose failures are wanted; empty for all types
     */
    static Snapshot of(JobQueue queue, Meter.Rates rates, Optional<String> only) {
        Map<String, TypeSettings> settings = queue.types().settings();
        Set<String> paused = settings.values().stream()
                .filter(TypeSettings::isPaused)
                .map(TypeSettings::type)
                .collect(Collectors.toUnmodifiableSet());
        Map<String, TypeCounts> counts = queue.types().counts();
        return new Snapshot(
                queue.database().name(),
                ServerTime.of(queue),
                counts,
                paused,
                queue.operations().workers(),
                failures(queue, counts, only),
                rates);
    }

    /** Returns the failures. Lists only jobs of statuses with a number above 0, because a list costs more than a sum. */
    private static List<Job> failures(JobQueue queue, Map<String, TypeCounts> counts, Optional<String> only) {
        JobFilter filter = only.map(type -> JobFilter.all().type(type)).orElse(JobFilter.all());
        Map<String, TypeCounts> asked = only.map(type -> ofType(type, counts)).orElse(counts);
        return Stream.of(JobStatus.FAILED, JobStatus.STUCK)
                .filter(status ->
                        asked.values().stream().anyMatch(one -> one.byStatus().getOrDefault(status, 0L) > 0))
                .flatMap(status -> queue.list(filter.status(status), FAILURES).stream())
                .sorted(Comparator.comparing(Snapshot::failed).reversed())
                .limit(FAILURES)
                .toList();
    }

    private static Map<String, TypeCounts> ofType(String type, Map<String, TypeCounts> counts) {
        return Optional.ofNullable(counts.get(type))
                .map(one -> Map.of(type, one))
                .orElse(Map.of());
    }

    private static Instant failed(Job job) {
        return job.times().getOrDefault(job.status() == JobStatus.STUCK ? "failed" : "finished", Instant.EPOCH);
    }

    /** {@return the snapshot with the numbers and failures of one type} */
    Snapshot only(String type) {
        List<Job> failed =
                failures.stream().filter(job -> job.type().equals(type)).toList();
        return new Snapshot(database, now, ofType(type, types), paused, workers, failed, rates);
    }

    long count(JobStatus status) {
        return types.values().stream()
                .mapToLong(counts -> counts.byStatus().getOrDefault(status, 0L))
                .sum();
    }
}
