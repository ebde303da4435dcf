package io.couchjobs.engine.scope;

import io.couchjobs.engine.index.JobCounts;
import io.couchjobs.job.JobStatus;
import io.couchjobs.scope.Scopes;
import java.util.Map;

/** Reads the numbers of a scope's jobs from the sums that the index keeps by status. */
final class ScopeCounts {
    private ScopeCounts() {}

    static Scopes.Stats of(Map<String, Long> counts, long rejected) {
        long failed = count(counts, JobStatus.FAILED, "");
        long cancelled = count(counts, JobStatus.CANCELLED, "");
        long failedKilled = count(counts, JobStatus.FAILED, JobCounts.KILLED);
        long cancelledKilled = count(counts, JobStatus.CANCELLED, JobCounts.KILLED);
        long finished = count(counts, JobStatus.SUCCESS, "");
        return new Scopes.Stats(
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
