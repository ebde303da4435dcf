package io.couchjobs.worker;

import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims due jobs and runs their handlers, as many at once as its concurrency allows. Thread-safe; made by {@link
 * io.couchjobs.JobQueue#worker()}.
 *
 * <p>It keeps the leases of what it runs, takes back what dead workers left, and outlives every trouble: while the database
 * is away it waits, with growing pauses, and then goes on.
 */
public interface Worker extends AutoCloseable {
    /** {@return the worker's id, which the locks of its jobs carry} */
    String id();

    /** {@return what it did so far} */
    Stats stats();

    /** {@return how many jobs run at once} */
    int concurrency();

    /**
     * Changes how many jobs run at once. If more jobs run now, none is stopped, and none is started until fewer run.
     *
     * @param jobs 0 or more. With 0 the running jobs finish and no others start; jobs claimed ahead are given back, and this call
     *     returns when that is stored, or cannot be stored
     * @throws IllegalArgumentException when the number is negative
     */
    void concurrency(int jobs);

    /**
     * Changes which jobs it takes, from the next claim on. Jobs that were left before are looked at again, also when it is the
     * same filter as before. See {@link WorkerBuilder#filter}.
     *
     * @param filter which jobs to take, or null for all
     * @throws IllegalArgumentException when the filter fails for a job that has nothing but a type and an id; then the one
     *     before stays
     */
    void filter(@Nullable Predicate<? super Job> filter);

    /**
     * Changes which classes of jobs it takes, from the next claim on. The settings of a type may limit its classes further.
     *
     * @param classes the classes, {@code ""} for jobs without one; null for all
     */
    void classes(@Nullable Set<String> classes);

    /**
     * Waits until the worker has stopped by itself ({@link WorkerBuilder#untilEmpty}, {@link WorkerBuilder#maxJobs}) or was
     * closed, and its last run has ended.
     *
     * @throws InterruptedException when interrupted while waiting
     */
    void awaitStopped() throws InterruptedException;

    /** Closes with the default time: 30 s. */
    @Override
    void close();

    /**
     * Takes no new jobs, gives back those not started, and lets the running ones finish. When the time is over, the runs that are
     * left are interrupted. Their jobs go back to waiting, or are cancelled ({@link WorkerBuilder#whenClosing}). The leases are
     * renewed to the end. A run that ignores the interrupt, or whose end cannot be stored because the server is away, is lost 5 s
     * later: its result is not stored, and another worker runs the job when its lease is over. A second call does nothing, unless
     * it gives less time.
     *
     * @param timeout how long the running jobs may take
     */
    void close(Duration timeout);

    /**
     * Closes as {@link #close(Duration)}, whatever was said when the worker was built.
     *
     * @param timeout how long the running jobs may take
     * @param mode what becomes of those that take longer
     */
    void close(Duration timeout, ClosingMode mode);

    /**
     * Closes as {@link #close(Duration, ClosingMode)} with {@link ClosingMode#CANCEL}, and says why in the jobs that are cancelled.
     *
     * @param timeout how long the running jobs may take
     * @param reason the text of the last error of each job that takes longer
     */
    void closeCancelling(Duration timeout, String reason);

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
    record Stats(
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

    /** The treatment of jobs that still run when the time for closing a worker is over. Immutable and thread-safe. */
    enum ClosingMode {
        /** They are interrupted and go back to waiting: another worker runs them. The default. */
        RELEASE(JobContext.StopReason.CLOSING),
        /** They are interrupted and cancelled. Source: Riak Core Jobs. */
        CANCEL(JobContext.StopReason.CANCELLED);

        private final JobContext.StopReason reason;

        ClosingMode(JobContext.StopReason reason) {
            this.reason = reason;
        }

        /** {@return the stop reason that an interrupted handler is told} */
        public JobContext.StopReason reason() {
            return reason;
        }
    }
}
