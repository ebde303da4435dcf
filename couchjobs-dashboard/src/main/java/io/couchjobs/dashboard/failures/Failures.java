package io.couchjobs.dashboard.failures;

import io.couchjobs.JobQueue;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Groups the failed and stuck jobs of a queue by failure. Reads the jobs one after the other; only the groups are in memory. */
public final class Failures {
    private final JobQueue queue;
    private final JobFilter which;
    private final Instant since;

    /**
     * Creates an instance. Performs no I/O.
     *
     * @param queue the queue
     * @param type the only type; empty for all
     * @param since jobs that failed before this time are left out
     */
    public Failures(JobQueue queue, Optional<String> type, Instant since) {
        this.queue = queue;
        this.which = type.map(JobFilter.all()::type).orElseGet(JobFilter::all);
        this.since = since;
    }

    /**
     * Returns all groups.
     *
     * @param now the present time, from which the hours are counted back
     * @return the groups, the latest failure first
     */
    public List<FailureGroup> groups(Instant now) {
        Map<String, FailureCounter> groups = new HashMap<>();
        failures(JobStatus.FAILED, JobStatus.STUCK)
                .forEach(one -> groups.computeIfAbsent(one.group(), id -> new FailureCounter(one, now))
                        .add(one));
        return groups.values().stream()
                .map(FailureCounter::group)
                .sorted(Comparator.comparing(FailureGroup::last).reversed().thenComparing(FailureGroup::id))
                .toList();
    }

    /**
     * Returns the jobs of a group that can be retried.
     *
     * @param group the name of the group
     * @return the jobs, read while the stream is consumed
     */
    public Stream<JobId> toRetry(String group) {
        // Stuck jobs come first: a failed job that is retried and fails again is stuck, and would otherwise be retried
        // twice.
        return inGroup(group, JobStatus.STUCK, JobStatus.FAILED);
    }

    /**
     * Returns the jobs of a group that can be cancelled: the stuck ones, because a failed job has ended.
     *
     * @param group the name of the group
     * @return the jobs, read while the stream is consumed
     */
    public Stream<JobId> toCancel(String group) {
        return inGroup(group, JobStatus.STUCK);
    }

    private Stream<JobId> inGroup(String group, JobStatus... statuses) {
        return failures(statuses)
                .filter(failure -> failure.group().equals(group))
                .map(Failure::id);
    }

    private Stream<Failure> failures(JobStatus... statuses) {
        return Stream.of(statuses)
                .flatMap(status -> queue.all(which.status(status)))
                .map(Failure::of)
                .filter(failure -> !failure.at().isBefore(since));
    }
}
