package io.couchjobs.worker;

import org.jspecify.annotations.Nullable;

/**
 * Does the work of one type of job. Called by many threads at once unless it is made anew for each run.
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
     * @throws InterruptedException when it stops because it was interrupted: the job was cancelled, lost or too slow, or the
     *     worker closes
     * @throws Exception for everything else that goes wrong: the job is retried
     */
    @Nullable
    Object handle(T data, JobContext context) throws Exception;
}
