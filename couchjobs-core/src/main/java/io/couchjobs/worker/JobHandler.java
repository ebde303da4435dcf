package io.couchjobs.worker;

import org.jspecify.annotations.Nullable;

/**
 * Runs the jobs of one type. Called by many threads at once, unless a handler is created for each run.
 *
 * <p>A run calls {@link #setup} and {@link #handle}, then {@link #cancelled} or {@link #killed} if the run was stopped, and always
 * {@link #cleanup}. All these calls use one thread that has no state of other runs. Then the end is stored, and {@link #exhausted}
 * is called if the job has failed permanently. A run that is stopped before it begins calls none of these methods. Source of the
 * hooks: Riak Core Jobs.
 *
 * @param <T> the Java type of the job's data
 */
@FunctionalInterface
public interface JobHandler<T> {
    /**
     * Runs a job. A job runs at least once, and occasionally twice, so make the effect idempotent or protect it by {@link
     * JobContext#fence()}.
     *
     * @param data the job's data
     * @param context the context of the run
     * @return the result to store with the job, or null for none; anything that Jackson can write
     * @throws PermanentJobException when a retry would be useless
     * @throws SnoozeException when the job should run later, without a failure
     * @throws InterruptedException when the handler stops because it was interrupted: the job was cancelled, lost or too slow, or
     *     the worker is closing
     * @throws Exception for any other failure; the job is retried
     */
    @Nullable
    Object handle(T data, JobContext context) throws Exception;

    /**
     * Prepares a run. An exception is a failure of the run.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception as {@link #handle}
     */
    default void setup(T data, JobContext context) throws Exception {}

    /**
     * Cleans up after a run, regardless of its outcome, even if the setup failed. An exception is logged and has no other effect.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void cleanup(T data, JobContext context) throws Exception {}

    /**
     * Called when the run stopped because the job was cancelled. An exception is logged and has no other effect.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void cancelled(T data, JobContext context) throws Exception {}

    /**
     * Called when the run stopped at its time limit. An exception is logged and has no other effect.
     *
     * @param data the job's data
     * @param context the job
     * @throws Exception logged
     */
    default void killed(T data, JobContext context) throws Exception {}

    /**
     * Called when the permanent failure of the job has been stored. The owner of the last run calls this method at most once, and
     * not at all if its process dies at that moment. An exception is logged and has no other effect. A worker that runs one job at
     * a time starts no other job until this method returns. A closing worker interrupts this method after the timeout of the close.
     *
     * @param data the job's data
     * @param context the job
     * @param problem the failure of the last run
     * @throws Exception logged
     */
    default void exhausted(T data, JobContext context, Throwable problem) throws Exception {}
}
