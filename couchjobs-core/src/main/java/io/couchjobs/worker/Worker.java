package io.couchjobs.worker;

import io.couchjobs.job.Job;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Claims due jobs and runs their handlers, up to its concurrency at once. Thread-safe; created by {@link
 * io.couchjobs.JobQueue#worker()}.
 *
 * <p>A worker renews the leases of its jobs and expires the claims of dead workers. Errors do not stop it: while the database
 * cannot be reached, it retries with a growing backoff.
 */
public interface Worker extends AutoCloseable {
    /** {@return the worker's id, which is stored in the locks of its jobs} */
    String id();

    /** {@return the statistics of this worker since it started} */
    Stats stats();

    /** {@return the highest number of jobs that run at once} */
    int concurrency();

    /**
     * Changes how many jobs may run at once. If more jobs run now, none is stopped, but no job is started until fewer run.
     *
     * @param jobs the number of jobs, 0 or more. With 0, the running jobs finish and no others start. Jobs claimed ahead are
     *     released; this call returns when the release is stored or has failed
     * @throws IllegalArgumentException when the number is negative
     */
    void concurrency(int jobs);

    /**
     * Changes the filter of jobs to claim, from the next claim on. Jobs that were skipped before are checked again, even if the
     * filter is the same. See {@link WorkerBuilder#filter}.
     *
     * @param filter selects the jobs to claim; null claims all
     * @throws IllegalArgumentException when the filter throws for a job that has only a type and an id; the previous filter stays
     *     in effect
     */
    void filter(@Nullable Predicate<? super Job> filter);

    /**
     * Changes the classes of jobs to claim, from the next claim on. The settings of a type may restrict its classes further.
     *
     * @param classes the classes, {@code ""} for jobs without a class; null for all
     */
    void classes(@Nullable Set<String> classes);

    /**
     * Waits until the worker has stopped by itself ({@link WorkerBuilder#untilEmpty}, {@link WorkerBuilder#maxJobs}) or was
     * closed, and its last run has ended.
     *
     * @throws InterruptedException when interrupted while waiting
     */
    void awaitStopped() throws InterruptedException;

    /** Closes the worker with the default timeout: 30 s. */
    @Override
    void close();

    /**
     * Claims no more jobs, releases jobs that have not started, and lets running jobs finish. After the timeout, the remaining runs
     * are interrupted. Their jobs wait again or are cancelled ({@link WorkerBuilder#whenClosing}). The leases are renewed until the
     * end. A run is abandoned 5 s later if it ignores the interrupt, or its end cannot be stored because the server cannot be
     * reached. Its result is not stored, and another worker runs the job after the lease has expired. A second call has no effect,
     * unless its timeout ends earlier.
     *
     * @param timeout how long running jobs may take to finish
     */
    void close(Duration timeout);

    /**
     * Closes the worker as {@link #close(Duration)} does, with a mode that overrides {@link WorkerBuilder#whenClosing}.
     *
     * @param timeout how long running jobs may take to finish
     * @param mode the treatment of jobs that take longer
     */
    void close(Duration timeout, ClosingMode mode);

    /**
     * Closes the worker as {@link #close(Duration, ClosingMode)} does with {@link ClosingMode#CANCEL}, and stores a reason in the
     * cancelled jobs.
     *
     * @param timeout how long running jobs may take to finish
     * @param reason the message of the last error of each job that takes longer
     */
    void closeCancelling(Duration timeout, String reason);

    /**
     * The statistics of a worker since it started. Immutable and thread-safe.
     *
     * @param claimed the number of claimed jobs
     * @param succeeded the number of runs that succeeded
     * @param retried the number of runs that failed and will be retried
     * @param failed the number of runs that failed permanently
     * @param cancelled the number of runs that were cancelled
     * @param released the number of jobs that were released
     * @param halted the number of jobs that were lost while they ran
     * @param conflicts the number of claims lost to other workers
     * @param recovered the number of dead workers' jobs whose claims this worker's monitor expired
     * @param running the number of jobs that run now
     * @param skipped how often a job was skipped because of the filter or the classes: once for each checked revision, more often
     *     when there are many such jobs
     * @param filterFailures how often the filter threw an exception, which counts as a rejection
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

    /** The treatment of jobs that still run after the timeout of a close. Immutable and thread-safe. */
    enum ClosingMode {
        /** The jobs are interrupted and wait again, so that another worker runs them. The default. */
        RELEASE(JobContext.StopReason.CLOSING),
        /** The jobs are interrupted and cancelled. Source: Riak Core Jobs. */
        CANCEL(JobContext.StopReason.CANCELLED);

        private final JobContext.StopReason reason;

        ClosingMode(JobContext.StopReason reason) {
            this.reason = reason;
        }

        /** {@return the stop reason that an interrupted handler receives} */
        public JobContext.StopReason reason() {
            return reason;
        }
    }
}
