package io.couchjobs;

import io.couchjobs.job.AddResult;
import io.couchjobs.job.After;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.JobType;
import io.couchjobs.job.NoTypeTimeoutException;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.QueueFullException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Adds jobs to a queue and changes them. Thread-safe. {@link JobQueue} lists the exceptions that all methods throw. Methods that
 * take data throw {@link io.couchjobs.job.InvalidJobDataException} when the data does not become a JSON object; nothing is sent
 * then. Methods that insert one job, and {@link #addAsync}, throw {@link NoTypeTimeoutException} and {@link QueueFullException} as
 * {@link #add(JobRequest)} does. Methods that change, cancel or remove a job throw {@link NotFoundException} when there is no such
 * job.
 */
public interface JobCreator {
    /**
     * Adds a job with a random id that is due immediately.
     *
     * @param type the type
     * @param data the data
     * @param <T> the type of the data
     * @return the result
     */
    default <T> AddResult add(JobType<T> type, T data) {
        return add(JobRequest.of(type, data));
    }

    /**
     * Adds a job with a random id that is due immediately, without waiting for the answer; see {@link #addAsync(JobRequest)}.
     *
     * @param type the type
     * @param data the data
     * @param <T> the type of the data
     * @return a future with the result; it fails when the job could not be added
     */
    default <T> CompletableFuture<AddResult> addAsync(JobType<T> type, T data) {
        return addAsync(JobRequest.of(type, data));
    }

    /**
     * Adds jobs with random ids that are due immediately, in one bulk write; see {@link #addAll(List)}.
     *
     * @param type the type
     * @param data the data of each job
     * @param <T> the type of the data
     * @return the result of each job, in the same order
     */
    default <T> List<AddResult> addAll(JobType<T> type, Collection<? extends T> data) {
        return addAll(data.stream().map(each -> JobRequest.of(type, each)).toList());
    }

    /**
     * Adds a job with a random id that is due immediately.
     *
     * @param type the type
     * @param data a record, bean, map or JSON object
     * @return the result
     */
    default AddResult add(String type, Object data) {
        return add(JobRequest.of(type, data));
    }

    /**
     * Adds a job. The effect depends on the job's present state. An absent or finished job waits for its time. A pending job with
     * another time gets the new time and data. For a pending job with the same time, nothing is written. A running job runs once
     * more afterwards, at the new time; the new data is ignored, and the present run is not disturbed.
     *
     * @param request the job
     * @return the result
     * @throws NoTypeTimeoutException when the queue is strict and the job's type has no timeout
     * @throws QueueFullException when the job is new and its type has reached its limit of pending jobs
     * @throws io.couchjobs.job.WriteRefusedException when a rule of the database, such as a guard, refuses the job
     */
    AddResult add(JobRequest request);

    /**
     * Adds a job as {@link #add} does, without waiting for the answer. Jobs added in quick succession share bulk requests, nearly
     * as fast as by {@link #addAll}, from any number of threads. A caller that adds faster than the database stores blocks while
     * 16,000 jobs, or 16 MB of jobs, are in flight. {@link JobQueue#close} waits for all of them.
     *
     * <p>The job is stored only when the future is completed: until then it may be lost with the process. Dependent stages run on a
     * few threads of the queue. Keep them short; run long ones with the future's {@code Async} methods.
     *
     * @param request the job; later changes to its data have no effect
     * @return a future with the result; it fails with what {@link #add} throws after it has sent a request
     * @throws IllegalStateException when the queue is closed
     */
    CompletableFuture<AddResult> addAsync(JobRequest request);

    /**
     * Adds jobs in one bulk write. A job that cannot be added is rejected without affecting the others; in a strict queue also a
     * job whose type has no timeout. A job that waits for other jobs of the same call is written after them, in a later bulk write:
     * otherwise their earlier states could release it. It is rejected when one of those jobs is rejected. If it is pending, its
     * data is replaced, even when its time stays the same.
     *
     * @param requests the jobs
     * @return the result of each job, in the same order
     */
    List<AddResult> addAll(List<JobRequest> requests);

    /**
     * Adds jobs as {@link #addAll} does, but replaces the data of a pending job even when its time stays the same.
     *
     * @param requests the jobs
     * @return the result of each job, in the same order
     */
    List<AddResult> replaceAll(List<JobRequest> requests);

    /**
     * Adds jobs and a completion job that runs when all of them are finished. The completion job is written last, see {@link
     * #addAll}. After a crash in between, the same call adds what is missing. Other queues call this a batch.
     *
     * @param jobs the jobs, from 1 to {@value After#MOST}
     * @param completion the completion job; it is cancelled as soon as one of the others fails, unless its {@link
     *     JobRequest.Builder#onFailure} says otherwise
     * @return the result of each job, in the same order; that of the completion job is the last
     * @throws IllegalArgumentException when there are no jobs, or too many
     */
    default List<AddResult> addBatch(List<JobRequest> jobs, JobRequest completion) {
        return addAll(AwaitedFirst.batch(jobs, completion));
    }

    /**
     * Creates a job that must not exist yet.
     *
     * @param request the job
     * @return the job as stored
     * @throws io.couchjobs.job.DuplicateJobException when the job exists, in any state; nothing was written
     * @throws io.couchjobs.job.UnconfirmedException when no majority of the copies confirms the write; the job may be stored
     */
    Job insert(JobRequest request);

    /**
     * Creates jobs as {@link #addAll} does, but also rejects each job that exists already, in any state.
     *
     * @param requests the jobs
     * @return the result of each job, in the same order
     */
    List<AddResult> insert(List<JobRequest> requests);

    /**
     * Adds a job unless an unfinished job with its tracker (or, without a tracker, its id) exists. Only one of several callers adds
     * it.
     *
     * @param request the job
     * @return whether this call added the job
     */
    boolean insertIfNew(JobRequest request);

    /**
     * Adds each job unless an unfinished job with its tracker (or, without a tracker, its id) exists.
     *
     * @param requests the jobs
     * @return for each job, in the same order, whether this call added it; false also if it is rejected as by {@link #addAll}
     */
    List<Boolean> insertIfNew(List<JobRequest> requests);

    /**
     * Cancels a job.
     *
     * @param id its identity
     * @param mode whether a running job is asked to stop
     * @return the result
     */
    CancelResult cancel(JobId id, CancelMode mode);

    /**
     * Cancels a job as {@link #cancel(JobId, CancelMode)} does, with a reason. The job keeps the reason as an error of kind {@code
     * cancelled}: a pending job at once, a running one when its owner has stopped. Until then {@link Job#cancelReason} returns it.
     *
     * @param id its identity
     * @param mode whether a running job is asked to stop
     * @param reason the reason, for people to read
     * @return the result
     */
    CancelResult cancel(JobId id, CancelMode mode, String reason);

    /**
     * {@return the same as {@link #cancel(JobId, CancelMode)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param mode whether a running job is asked to stop
     */
    default CancelResult cancel(String type, String id, CancelMode mode) {
        return cancel(new JobId(type, id), mode);
    }

    /**
     * Makes a job due now. The job may be waiting for its scheduled time, its retry or other jobs, or may have finished.
     *
     * @param id its identity
     * @return the job as stored
     * @throws JobRefusedException when the job is running
     */
    Job retryNow(JobId id);

    /**
     * Makes a job due now as {@link #retryNow(JobId)} does, with a reason. {@link Job#retryReason} returns the reason until the job
     * is retried or added again.
     *
     * @param id its identity
     * @param reason the reason, for people to read
     * @return the job as stored
     */
    Job retryNow(JobId id, String reason);

    /**
     * {@return the same as {@link #retryNow(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default Job retryNow(String type, String id) {
        return retryNow(new JobId(type, id));
    }

    /**
     * Moves the scheduled time of a pending job.
     *
     * @param id its identity
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     * @throws JobRefusedException when the job is not pending
     */
    Job reschedule(JobId id, Instant time);

    /**
     * {@return the same as {@link #reschedule(JobId, Instant)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     */
    default Job reschedule(String type, String id, Instant time) {
        return reschedule(new JobId(type, id), time);
    }

    /**
     * Changes the priority of a pending job.
     *
     * @param id its identity
     * @param priority the priority, from 0 (lowest) to 99
     * @return the job as stored
     * @throws JobRefusedException when the job is not pending
     */
    Job setPriority(JobId id, int priority);

    /**
     * {@return the same as {@link #setPriority(JobId, int)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param priority the priority, from 0 (lowest) to 99
     */
    default Job setPriority(String type, String id, int priority) {
        return setPriority(new JobId(type, id), priority);
    }

    /**
     * Makes a job run once more at its present scheduled time; see {@link #resubmit(JobId, Instant)}.
     *
     * @param id its identity
     * @return the job as stored
     */
    Job resubmit(JobId id);

    /**
     * {@return the same as {@link #resubmit(JobId)}, by type and id}
     *
     * @param type its type
     * @param id its id
     */
    default Job resubmit(String type, String id) {
        return resubmit(new JobId(type, id));
    }

    /**
     * Makes a job run once more: a running one after its present run, a finished one at the given time. A pending one is moved to
     * that time.
     *
     * @param id its identity
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     */
    Job resubmit(JobId id, Instant time);

    /**
     * {@return the same as {@link #resubmit(JobId, Instant)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     */
    default Job resubmit(String type, String id, Instant time) {
        return resubmit(new JobId(type, id), time);
    }

    /**
     * Makes a job run once more as {@link #resubmit(JobId, Instant)} does, with other data.
     *
     * @param id its identity
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     * @param data a record, bean, map or JSON object; ignored while the job is running, and when it already waits for that time
     * @return the job as stored
     */
    Job resubmit(JobId id, Instant time, Object data);

    /**
     * {@return the same as {@link #resubmit(JobId, Instant, Object)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time the earliest time to run; before 1973-03-03 means immediately, as for {@link JobRequest.Builder#scheduledTime}
     * @param data a record, bean, map or JSON object; ignored while the job is running, and when it already waits for that time
     */
    default Job resubmit(String type, String id, Instant time, Object data) {
        return resubmit(new JobId(type, id), time, data);
    }

    /**
     * Deletes a job and its log. The job may be in any state, and its document may even be malformed. The owner of a running job is
     * halted.
     *
     * @param id its identity
     */
    void remove(JobId id);

    /**
     * Deletes a job as {@link #remove(JobId)} does, by type and id.
     *
     * @param type its type
     * @param id its id
     */
    default void remove(String type, String id) {
        remove(new JobId(type, id));
    }
}
