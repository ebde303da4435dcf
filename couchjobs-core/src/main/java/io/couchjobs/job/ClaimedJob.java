package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of one job: made by a claim that CouchDB confirmed, and the only way to renew, finish or fail the job.
 * Thread-safe; its writes happen one after the other.
 *
 * <p>Each verb writes on the revision it knows. When that is refused because of another write (a resubmit, a cancel
 * request, a priority), it reads the job again. If the lock still carries this claim's token, it repeats itself on the
 * new revision; otherwise it throws {@link HaltException}. Nothing is read before a write that succeeds.
 *
 * <p>On a cluster a write that no quorum confirms is sent again as it is, until a quorum does, another writer was
 * first, or the lease is over. When the document has conflicts, the claim's own leaf counts, not the one that readers
 * happen to see.
 *
 * <p>Guarantee: at most one owner at any time, at least one execution. An owner that is paused for longer than the type's
 * timeout loses the job without noticing until its next verb, or until it asks {@link #isLeaseOver}; {@link #fence}
 * lets it guard its writes elsewhere.
 */
public interface ClaimedJob {
    /** {@return the job as this owner last wrote or read it; it has attached data once {@link #data} has read it} */
    Job job();

    /** {@return the identity} */
    JobId id();

    /**
     * The data of the claimed job. The first call reads it from the database, if it is attached to the job's document.
     *
     * @return a copy
     * @throws UnreadableDataException when it is attached, and is damaged or missing
     * @throws io.couchjobs.couch.config.CouchException when it is attached, and the database cannot be asked
     */
    ObjectNode data();

    /**
     * The data of the claimed job, bound to what its type says; see {@link #data()}.
     *
     * @param type the type of the job
     * @param <T> what the data is
     * @return the bound data
     * @throws InvalidJobDataException when the data does not fit
     */
    default <T> T data(JobType<T> type) {
        return type.bind(data());
    }

    /**
     * Whether the lease is over: no renewal was confirmed for the timeout of the job's type, on this process's monotonic clock.
     * Others may then have the job, so stop, or check with {@link #assertOwned}. A write after that reads the job first. If this
     * owner has lost the job, the write throws {@link HaltException}, and so does each later one. If this owner still has it, a
     * write on one node renews the lease; on a cluster only the end of the run may be written, and all other writes throw. This
     * method sends no request, except to read the type's settings once after the feed was interrupted.
     *
     * @return whether this owner counts as halted
     */
    boolean isLeaseOver();

    /** {@return the UUID of this claim} */
    String token();

    /**
     * A number greater than that of every earlier claim of this job. The numbers continue when the job is removed and added again.
     * They start again only if the tombstone was purged in between.
     *
     * @return the fencing number
     */
    long fence();

    /** {@return whether a failure of this run would be final} */
    boolean isLastRetry();

    /** {@return whether the job will run once more after this run, as far as this owner knows} */
    boolean isResubmitted();

    /**
     * Starts a job that was put aside. One that has been started goes on, and its lease is renewed.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job start();

    /**
     * Renews the lease.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job update();

    /**
     * Renews the lease and replaces the data.
     *
     * @param data a record, bean, map or JSON object
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    Job update(Object data);

    /**
     * Renews the lease and tells how far the run has come.
     *
     * @param progress how far
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job update(Progress progress);

    /**
     * Tells how far the run has come with the next write of this claim, without writing now.
     *
     * @param progress how far
     */
    void progress(Progress progress);

    /**
     * Ends the run well, without a result.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job finish();

    /**
     * Ends the run well.
     *
     * @param result anything that Jackson can write, or null for none
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the result cannot be written as JSON; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    Job finish(@Nullable Object result);

    /**
     * Ends the run well and replaces the data.
     *
     * @param data a record, bean, map or JSON object
     * @param result anything that Jackson can write, or null for none
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim does not own the job any more
     */
    Job finishAndReplaceData(Object data, @Nullable Object result);

    /**
     * Ends the run badly. The job is retried by its retry policy, or failed.
     *
     * @param kind what happened
     * @param message the problem, in words
     * @param stackTrace the stack trace, or null
     * @param permanent whether a retry would be useless
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job fail(JobError.Kind kind, String message, @Nullable String stackTrace, boolean permanent);

    /**
     * Ends the run because a cancel was requested.
     *
     * @param reason why, in words
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job acknowledgeCancel(String reason);

    /**
     * Lets the job run once more, at the time it had; see {@link #resubmit(Instant)}.
     *
     * @return the job as stored
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit();

    /**
     * Lets the job run once more: after this run while it lasts (but not when it is to be cancelled), at the given time when
     * it has ended.
     *
     * @param time not before this time
     * @return the job as stored
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit(Instant time);

    /**
     * Lets the job run once more, with other data when its run has ended already; see {@link #resubmit(Instant)}.
     *
     * @param time not before this time
     * @param data a record, bean, map or JSON object; ignored while this claim owns the job
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit(Instant time, Object data);

    /**
     * Puts the job off, without having failed: this run does not count.
     *
     * @param delay how long from now
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job snooze(Duration delay);

    /**
     * Gives the job back, as if it had not been claimed.
     *
     * @return the job as stored
     * @throws HaltException when this claim does not own the job any more
     */
    Job release();

    /**
     * Reads the job again and checks that this claim owns it. On a cluster a claim whose lease is over no longer owns the job. The
     * answer is only as recent as that read: to guard a write elsewhere, use {@link #fence}.
     *
     * @throws HaltException when this claim does not own the job any more
     * @throws io.couchjobs.couch.config.CouchJobsException when no majority of the copies is in reach: nobody can tell
     */
    void assertOwned();

    /**
     * Documents of your own that no former owner of this job can write once this one has.
     *
     * @param database where they are; any database, of any server
     * @return the writer of these documents
     */
    FencedDocuments fenced(CouchDatabase database);
}
