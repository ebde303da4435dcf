package io.couchjobs.worker;

import org.jspecify.annotations.Nullable;

/**
 * Does the work of one type of job. Called by many threads at once unless it is made anew for each run.
 *
 * <p>A run is: {@link #setup}, {@link #handle}, when it was stopped {@link #cancelled} or {@link #killed}, and always {@link
 * #cleanup}, all on one thread that shows nothing of other runs. Then the end is stored, and {@link #exhausted} is
 * called if the job has failed for good. A run that is stopped before it has begun calls none of them. Source of the hooks: Riak Core Jobs.
 *
 * @param <T> what the job's data is bound to
 */
@FunctionalInterface
public interface JobHandler<T> {
    /**
     * Runs a job. A job runs at least once, and now and then twice: make the effect the same if it does, or guard it by
     * {@link JobContext#fence()}.
     *
     * @param data the job's data
     * @param context the job, and what can be done with it while it runs
     * @return the result to be stored with the job, or null for none; anything that Jackson can write
     * @throws PermanentJobException when a retry would be useless
     * @throws SnoozeException when it is to run later, without having failed
     * @throws InterruptedException when it stops because it was interrupted: the job was cancelled, lost or too slow, or the
     *     worker closes
     * @throws Exception for everything else that goes wrong: the job is retried
     */
    @Nullable
    Object handle(T data, JobContext context) throws Exception;

    /**
     * Prepares a run. A failure here is a failure of the run.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception as {@link #handle}
     */
    default void setup(T data, JobContext context) throws Exception {}

    /**
     * Cleans up after a run, however it ended, also when the setup failed. A failure here is logged and changes nothing.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void cleanup(T data, JobContext context) throws Exception {}

    /**
     * The run stopped because somebody cancelled the job. A failure here is logged and changes nothing.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void cancelled(T data, JobContext context) throws Exception {}

    /**
     * The run stopped at its time limit. A failure here is logged and changes nothing.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void killed(T data, JobContext context) throws Exception {}

    /**
     * The job has failed for good, and that is stored. The owner of the last run calls this at most once; if its process dies at
     * that moment, nobody calls it. A failure here is logged and changes nothing. A worker that runs one job at a time begins no
     * other job until this returns. A worker that closes interrupts it when the timeout of the close is over.
     *
     * @param data the job's data
     * @param context the job
     * @param problem what the last run failed with
     * @throws Exception logged
     */
    default void exhausted(T data, JobContext context, Throwable problem) throws Exception {}
}
