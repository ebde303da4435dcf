package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.StoreClock;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobNotFoundException;
import io.couchjobs.job.Progress;
import io.couchjobs.job.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of one job: made by a claim that CouchDB confirmed, and the only way to renew, finish or fail the job.
 * Thread-safe; its writes happen one after the other.
 *
 * <p>Each verb writes on the revision it knows. When that is refused because somebody else wrote (a resubmit, a cancel
 * request, a priority), it reads the job again and, if the lock still carries this claim's token, repeats itself on what
 * the others wrote; otherwise it throws {@link HaltException}. Nothing is read before a write that succeeds.
 *
 * <p>On a cluster a write that no quorum confirms is sent again as it is, until one does, somebody else wrote, or the lease is
 * over. When the document has conflicts, the claim's own leaf counts, not the one that readers happen to see.
 *
 * <p>Guarantee: at most one owner at any time, at least one execution. An owner that is paused for longer than the type's
 * timeout loses the job without noticing until its next verb, or until it asks {@link #isLeaseOver}; {@link #fence} lets it guard what it writes elsewhere.
 */
public final class ClaimedJob {
    private final JobStore store;
    private final StoreClock clock;
    private final RetryPolicy retryPolicy;
    private final String token;
    private final Lease lease;
    private final Ownership ownership;

    ClaimedJob(
            JobStore store,
            StoreClock clock,
            RetryPolicy retryPolicy,
            String token,
            Job job,
            Lease lease,
            Runnable onEnd) {
        this.store = store;
        this.clock = clock;
        this.retryPolicy = retryPolicy;
        this.token = token;
        this.lease = lease;
        this.ownership = new Ownership(store, clock, token, job, lease, onEnd);
    }

    /** {@return the job as this owner last wrote or read it} */
    public Job job() {
        return ownership.job();
    }

    /** {@return the identity} */
    public JobId id() {
        return job().id();
    }

    /**
     * The data, as {@link Job#data} has it: large data is read when it is asked for first, and is that of the claim.
     *
     * @return a copy
     * @throws io.couchjobs.job.UnreadableDataException when it is attached and cannot be read
     */
    public ObjectNode data() {
        return job().data();
    }

    /** {@return the monotonic time at which the last write that CouchDB confirmed was sent: the lease counts from there} */
    public long confirmedNanos() {
        return lease.confirmedNanos();
    }

    /**
     * Whether no renewal was confirmed for the timeout of the job's type, on this process's monotonic clock. Then others may
     * have the job: stop, or ask by {@link #assertOwned}. A write that is tried nevertheless reads the job first, and throws
     * {@link HaltException} when it is not this owner's any more; when it still is, the write renews the lease. No I/O, but
     * for the settings of the type when they are not known.
     *
     * @return whether this owner counts as halted
     */
    public boolean isLeaseOver() {
        return lease.isOver();
    }

    /**
     * Takes in that the lease was renewed by other means than a write of this claim: by the registration of its worker.
     *
     * @param sentNanos when the confirmed renewal was sent, on the monotonic clock of {@link #confirmedNanos}
     */
    public void renewed(long sentNanos) {
        lease.renewed(sentNanos);
    }

    /** {@return the UUID of this claim} */
    public String token() {
        return token;
    }

    /**
     * A number greater than that of every earlier claim of this job. When it was removed and added anew it goes on, unless the
     * tombstone was purged in between: then it starts again.
     *
     * @return the fencing number
     */
    public long fence() {
        return job().fence();
    }

    /** {@return the retry policy that a failure will follow, but for the job's own number of retries} */
    public RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** {@return whether a failure of this run would be final} */
    public boolean isLastRetry() {
        return Transitions.isLastRun(job(), retryPolicy);
    }

    /** {@return whether the job will run once more after this run, as far as this owner knows} */
    public boolean isResubmitted() {
        return job().isResubmitted();
    }

    /**
     * Starts a job that was put aside.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job start() {
        return write(Transitions::start);
    }

    /**
     * Renews the lease.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job update() {
        return write((present, now) -> Transitions.update(present, null, null, now));
    }

    /**
     * Renews the lease and replaces the data.
     *
     * @param data a record, bean, map or JSON object
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    public Job update(Object data) {
        ObjectNode checked = JobData.of(data);
        return write((present, now) -> Transitions.update(present, checked, null, now));
    }

    /**
     * Renews the lease and tells how far the run has come.
     *
     * @param progress how far
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job update(Progress progress) {
        return write((present, now) -> Transitions.update(present, null, progress, now));
    }

    /**
     * Tells how far the run has come with the next write of this claim, without writing now.
     *
     * @param progress how far
     */
    public void progress(Progress progress) {
        ownership.tellWithNextWrite(progress);
    }

    /** {@return whether there is progress that no write has told yet, of a job that this claim owned when it last wrote} */
    public boolean hasProgressToTell() {
        return ownership.hasProgressToTell();
    }

    /**
     * Writes the progress that no write has told yet, if there is some and the run has not ended.
     *
     * @throws HaltException when this claim does not own the job any more
     */
    public void writeProgress() {
        synchronized (ownership) {
            if (hasProgressToTell()) {
                update();
            }
        }
    }

    /**
     * Ends the run well, without a result.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job finish() {
        return write((present, now) -> Transitions.finish(present, null, null, now));
    }

    /**
     * Ends the run well.
     *
     * @param result anything that Jackson can write, or null for none
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the result cannot be written as JSON; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    public Job finish(@Nullable Object result) {
        var json = result == null ? null : JobData.tree(result);
        return write((present, now) -> Transitions.finish(present, json, null, now));
    }

    /**
     * Ends the run well and replaces the data.
     *
     * @param result anything that Jackson can write, or null for none
     * @param data a record, bean, map or JSON object
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    public Job finish(@Nullable Object result, Object data) {
        var json = result == null ? null : JobData.tree(result);
        ObjectNode checked = JobData.of(data);
        return write((present, now) -> Transitions.finish(present, json, checked, now));
    }

    /**
     * Ends the run badly. The job is retried by its retry policy, or failed.
     *
     * @param kind what happened
     * @param message what went wrong, in words
     * @param stackTrace the stack trace, or null
     * @param permanent whether a retry would be useless
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job fail(JobError.Kind kind, String message, @Nullable String stackTrace, boolean permanent) {
        return write((present, now) -> Transitions.fail(
                present, new JobError(present.attempt(), now, kind, message, stackTrace), retryPolicy, permanent, now));
    }

    /**
     * Ends the run because somebody asked for it.
     *
     * @param reason why, in words
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job acknowledgeCancel(String reason) {
        return write((present, now) -> Transitions.acknowledgeCancel(present, reason, now));
    }

    /**
     * Lets the job run once more, at the time it had; see {@link #resubmit(Instant)}.
     *
     * @return the job as stored
     * @throws HaltException when somebody else owns the job, or it was removed
     */
    public Job resubmit() {
        return resubmitAs(null, null);
    }

    /**
     * Lets the job run once more: after this run while it lasts (but not when it is to be cancelled), at the given time when
     * it has ended.
     *
     * @param time not before this time
     * @return the job as stored
     * @throws HaltException when somebody else owns the job, or it was removed
     */
    public Job resubmit(Instant time) {
        return resubmitAs(time, null);
    }

    /**
     * Lets the job run once more, with other data when its run has ended already; see {@link #resubmit(Instant)}.
     *
     * @param time not before this time
     * @param data a record, bean, map or JSON object; ignored while this claim owns the job
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when somebody else owns the job, or it was removed
     */
    public Job resubmit(Instant time, Object data) {
        return resubmitAs(time, JobData.of(data));
    }

    private Job resubmitAs(@Nullable Instant time, @Nullable ObjectNode data) {
        synchronized (ownership) {
            return job().isLockedBy(token)
                    ? write((present, now) -> Transitions.resubmitOwn(present, time, now))
                    : resubmitEnded(time, data);
        }
    }

    private Job resubmitEnded(@Nullable Instant time, @Nullable ObjectNode data) {
        try {
            return new Creator(store, clock).change(id(), "cannot be resubmitted", (present, now) -> {
                if (present.status().isLocked()) {
                    throw Ownership.notOurs(present);
                }
                return Transitions.resubmit(present, time, data, now);
            });
        } catch (JobNotFoundException removed) {
            throw new HaltException(id(), "was removed");
        }
    }

    /**
     * Puts the job off, without having failed: this run does not count.
     *
     * @param delay how long from now
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job snooze(Duration delay) {
        return write((present, now) -> Transitions.snooze(present, now.plus(delay), now));
    }

    /**
     * Gives the job back, as if it had not been claimed.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    public Job release() {
        return write(Transitions::release);
    }

    /**
     * Reads the job again and checks that this claim owns it; on a cluster, when the lease is over, by a renewal that a quorum confirms.
     * The answer is as old as that: to guard a write elsewhere, use {@link #fence}.
     *
     * @throws HaltException when this claim does not own the job any more
     */
    public void assertOwned() {
        ownership.check();
    }

    private Job write(BiFunction<Job, Instant, Decision> rule) {
        return ownership.write(rule);
    }

    @Override
    public String toString() {
        return "ClaimedJob[" + job() + "]";
    }
}
