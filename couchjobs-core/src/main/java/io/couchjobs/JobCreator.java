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
 * Adds jobs to a queue and changes them. Thread-safe. A program that does nothing else needs this type alone. {@link JobQueue} says
 * what all methods throw. Those that take data throw {@link io.couchjobs.job.InvalidJobDataException} when it does not become a JSON
 * object; then nothing was sent. Those that insert one job, and {@link #addAsync}, throw {@link NoTypeTimeoutException} and {@link
 * QueueFullException} as {@link #add(JobRequest)} does. Those that change, cancel or remove a job throw {@link NotFoundException} when there is no such job.
 */
public interface JobCreator {
    /**
     * Adds a job with a random id, due at once.
     *
     * @param type the type
     * @param data the data
     * @param <T> what the data is
     * @return what happened
     */
    default <T> AddResult add(JobType<T> type, T data) {
        return add(JobRequest.of(type, data));
    }

    /**
     * Adds a job with a random id, due at once, without waiting for the answer; see {@link #addAsync(JobRequest)}.
     *
     * @param type the type
     * @param data the data
     * @param <T> what the data is
     * @return what happened, or exceptionally why the job could not be added
     */
    default <T> CompletableFuture<AddResult> addAsync(JobType<T> type, T data) {
        return addAsync(JobRequest.of(type, data));
    }

    /**
     * Adds jobs with random ids, due at once, in one bulk write; see {@link #addAll(List)}.
     *
     * @param type the type
     * @param data the data of each job
     * @param <T> what the data is
     * @return in the same order, what happened to each
     */
    default <T> List<AddResult> addAll(JobType<T> type, Collection<? extends T> data) {
        return addAll(data.stream().map(each -> JobRequest.of(type, each)).toList());
    }

    /**
     * Adds a job with a random id, due at once.
     *
     * @param type the type
     * @param data a record, bean, map or JSON object
     * @return what happened
     */
    default AddResult add(String type, Object data) {
        return add(JobRequest.of(type, data));
    }

    /**
     * Adds a job, by the state it is in. Absent or finished: it waits for its time. Pending with another time: time and data
     * are replaced. Pending with the same time: nothing is written. Running: it will run once more afterwards, at the new
     * time; the new data is ignored and its worker is not disturbed.
     *
     * @param request the job
     * @return what happened
     * @throws NoTypeTimeoutException when the queue is strict and the type has no timeout
     * @throws QueueFullException when the job is new and its type has as many pending jobs as it may have
     * @throws io.couchjobs.job.WriteRefusedException when the database's own rules refuse it, for example a guard
     */
    AddResult add(JobRequest request);

    /**
     * Adds a job as {@link #add} does, without waiting for the answer. Many that are added one after the other go in bulk
     * requests: nearly as fast as by {@link #addAll}, from any number of threads. A caller that adds faster than the database
     * stores is held up once 16,000 jobs, or 16 MB of them, are on their way; {@link JobQueue#close} waits for all.
     *
     * <p>The job is safe only when the future is completed: until then it may be lost with the process. Stages that depend on the
     * future run on a few threads of the queue. Keep them quick; run long ones by the future's {@code Async} methods.
     *
     * @param request the job; later changes of its data have no effect
     * @return what happened, or exceptionally what {@link #add} throws after it has sent something
     * @throws IllegalStateException when the queue is closed
     */
    CompletableFuture<AddResult> addAsync(JobRequest request);

    /**
     * Adds jobs in one bulk write. One that cannot be added is rejected (in a strict queue also one whose type has no timeout), and does
     * not stop the others. A job that waits for others of the same call is written after them, in a later bulk write, so that their
     * earlier states cannot let it go. It is rejected when one of them is rejected. If it is pending, its data is replaced, even
     * when its time stays the same.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each
     */
    List<AddResult> addAll(List<JobRequest> requests);

    /**
     * Adds jobs as {@link #addAll} does, but replaces the data of a pending job even when its time stays the same.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each
     */
    List<AddResult> replaceAll(List<JobRequest> requests);

    /**
     * Adds jobs, and one that runs when all of them are finished: first the jobs, then the one that waits, see {@link #addAll}.
     * A crash in between leaves the jobs without it; the same call adds what is missing. Other queues call this a batch.
     *
     * @param jobs the jobs, at least one, at most {@value After#MOST}
     * @param completion the job that comes after; it is cancelled as soon as one of the others fails, unless its
     *     {@link JobRequest.Builder#onFailure} says otherwise
     * @return in the same order, what happened to each; the completion's is the last
     * @throws IllegalArgumentException when there are no jobs, or too many
     */
    default List<AddResult> addBatch(List<JobRequest> jobs, JobRequest completion) {
        return addAll(AwaitedFirst.batch(jobs, completion));
    }

    /**
     * Creates a job that must not exist.
     *
     * @param request the job
     * @return the job as stored
     * @throws io.couchjobs.job.DuplicateJobException when it exists, in whatever state; nothing was written
     * @throws io.couchjobs.job.UnconfirmedException when no majority of the copies confirms it; it may be stored
     */
    Job insert(JobRequest request);

    /**
     * Creates jobs that must not exist, as {@link #addAll} adds jobs: also one that exists, in whatever state, is rejected.
     *
     * @param requests the jobs
     * @return in the same order, what happened to each
     */
    List<AddResult> insert(List<JobRequest> requests);

    /**
     * Adds a job unless an unfinished one with its tracker (or else its id) exists. Only one of any number of callers adds it.
     *
     * @param request the job
     * @return true when this call added it
     */
    boolean insertIfNew(JobRequest request);

    /**
     * Adds jobs unless unfinished ones with their trackers (or else their ids) exist.
     *
     * @param requests the jobs
     * @return in the same order, whether this call added each; false also when it is rejected, as {@link #addAll} rejects jobs
     */
    List<Boolean> insertIfNew(List<JobRequest> requests);

    /**
     * Cancels a job.
     *
     * @param id its identity
     * @param mode whether a running job is asked to stop
     * @return what happened
     */
    CancelResult cancel(JobId id, CancelMode mode);

    /**
     * As {@link #cancel(JobId, CancelMode)}, with a reason. A pending job keeps it as an error of kind {@code cancelled}, and so does a
     * running one when its owner has stopped; until then {@link Job#cancelReason} has it.
     *
     * @param id its identity
     * @param mode whether a running job is asked to stop
     * @param reason why, for people
     * @return what happened
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
     * Lets a job run now: one that waits for its time or its retry, or a finished one again.
     *
     * @param id its identity
     * @return the job as stored
     * @throws JobRefusedException when it is running
     */
    Job retryNow(JobId id);

    /**
     * As {@link #retryNow(JobId)}, with a reason. {@link Job#retryReason} has it until the job is retried or added again.
     *
     * @param id its identity
     * @param reason why, for people
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
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     * @throws JobRefusedException when it is not pending
     */
    Job reschedule(JobId id, Instant time);

    /**
     * {@return the same as {@link #reschedule(JobId, Instant)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     */
    default Job reschedule(String type, String id, Instant time) {
        return reschedule(new JobId(type, id), time);
    }

    /**
     * Changes the priority of a pending job.
     *
     * @param id its identity
     * @param priority 0 (least) to 99
     * @return the job as stored
     * @throws JobRefusedException when it is not pending
     */
    Job setPriority(JobId id, int priority);

    /**
     * {@return the same as {@link #setPriority(JobId, int)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param priority 0 (least) to 99
     */
    default Job setPriority(String type, String id, int priority) {
        return setPriority(new JobId(type, id), priority);
    }

    /**
     * Lets a job run once more, at the time it had; see {@link #resubmit(JobId, Instant)}.
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
     * Lets a job run once more: a running one after its present run, a finished one at the given time. A pending one moves to that time.
     *
     * @param id its identity
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @return the job as stored
     */
    Job resubmit(JobId id, Instant time);

    /**
     * {@return the same as {@link #resubmit(JobId, Instant)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     */
    default Job resubmit(String type, String id, Instant time) {
        return resubmit(new JobId(type, id), time);
    }

    /**
     * Lets a job run once more, as {@link #resubmit(JobId, Instant)}, with other data.
     *
     * @param id its identity
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @param data a record, bean, map or JSON object; ignored while the job is running, and when it waits for that time already
     * @return the job as stored
     */
    Job resubmit(JobId id, Instant time, Object data);

    /**
     * {@return the same as {@link #resubmit(JobId, Instant, Object)}, by type and id}
     *
     * @param type its type
     * @param id its id
     * @param time not before this time; one before 1973-03-03 is at once, as for {@link JobRequest.Builder#scheduledTime}
     * @param data a record, bean, map or JSON object; ignored while the job is running, and when it waits for that time already
     */
    default Job resubmit(String type, String id, Instant time, Object data) {
        return resubmit(new JobId(type, id), time, data);
    }

    /**
     * Deletes a job with its log, in whatever state, even when its document cannot be a job. The owner of a running job is halted.
     *
     * @param id its identity
     */
    void remove(JobId id);

    /**
     * As {@link #remove(JobId)}, by type and id.
     *
     * @param type its type
     * @param id its id
     */
    default void remove(String type, String id) {
        remove(new JobId(type, id));
    }
}
