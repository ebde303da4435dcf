package io.couchjobs.worker;

/**
 * The numbers of a worker since it started. Immutable and thread-safe.
 *
 * @param claimed jobs claimed
 * @param succeeded runs that ended well
 * @param retried runs that failed and will be retried
 * @param failed runs that failed for good
 * @param cancelled runs that were cancelled
 * @param released jobs given back
 * @param halted jobs lost while they ran
 * @param conflicts claims lost to other workers
 * @param recovered jobs of dead workers that this worker's monitor set free
 * @param running jobs running now
 * @param skipped how often a job was left to others because the filter or a list of classes does not let it in: once for each
 *     of its revisions that was looked at, more often when there are many such jobs
 * @param filterFailures how often the filter failed, which counts as no
 */
public record WorkerStats(
        long claimed,
        long succeeded,
        long retried,
        long failed,
        long cancelled,
        long released,
        long halted,
        long conflicts,
        long recovered,
        int running,
        long skipped,
        long filterFailures) {}
