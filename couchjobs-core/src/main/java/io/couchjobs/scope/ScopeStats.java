package io.couchjobs.scope;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.JobStatus;
import java.util.Map;

/**
 * What became of the jobs of a scope. Immutable and thread-safe.
 *
 * <p>All but {@code rejected} is counted by the jobs themselves, so it is right whoever died or was started again; jobs that were
 * removed, by hand or by retention, do not count any more. Rejections are counted by each process and written once a second:
 * a process that dies takes its last second with it.
 *
 * @param accepted jobs taken: the sum of the six below {@code rejected}
 * @param rejected submits that got another answer than OK
 * @param queued waiting, for a place, their time or a retry
 * @param running running, or claimed to run next
 * @param finished ended well
 * @param killed stopped while they ran
 * @param crashed failed for good
 * @param cancelled cancelled before they ran
 */
public record ScopeStats(
        long accepted,
        long rejected,
        long queued,
        long running,
        long finished,
        long killed,
        long crashed,
        long cancelled) {

    static ScopeStats of(Map<String, Long> counts, long rejected) {
        long failed = count(counts, JobStatus.FAILED, "");
        long cancelled = count(counts, JobStatus.CANCELLED, "");
        long failedKilled = count(counts, JobStatus.FAILED, JobIndex.KILLED);
        long cancelledKilled = count(counts, JobStatus.CANCELLED, JobIndex.KILLED);
        long finished = count(counts, JobStatus.SUCCESS, "");
        return new ScopeStats(
                queued(counts) + running(counts) + finished + failed + cancelled,
                rejected,
                queued(counts),
                running(counts),
                finished,
                failedKilled + cancelledKilled,
                failed - failedKilled,
                cancelled - cancelledKilled);
    }

    static long queued(Map<String, Long> counts) {
        return count(counts, JobStatus.WAITING, "") + count(counts, JobStatus.STUCK, "");
    }

    static long running(Map<String, Long> counts) {
        return count(counts, JobStatus.SCHEDULED, "") + count(counts, JobStatus.RUNNING, "");
    }

    static long unfinished(Map<String, Long> counts) {
        return queued(counts) + running(counts);
    }

    private static long count(Map<String, Long> counts, JobStatus status, String suffix) {
        return counts.getOrDefault(status.json() + suffix, 0L);
    }
}
