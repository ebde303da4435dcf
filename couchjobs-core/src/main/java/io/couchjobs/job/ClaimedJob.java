package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of one job. It results from a claim that CouchDB confirmed, and is the only way to renew, finish or fail the job.
 * Thread-safe; its writes happen one after the other.
 *
 * <p>Each write is based on the revision this object knows. When CouchDB refuses the write because of another write (a resubmit, a
 * cancel request, a priority), the method reads the job again. If the lock still has this claim's token, the method repeats the
 * write on the new revision; otherwise it throws {@link HaltException}. A write that succeeds at once needs no read.
 *
 * <p>On a cluster, a write that no quorum confirms is sent again unchanged, until a quorum confirms it, another writer was first,
 * or the lease is over. When the document has conflicts, the claim's own leaf counts, not the leaf that readers see.
 *
 * <p>Guarantee: at most one owner at any time, at least one execution. An owner that is paused for longer than the type's timeout
 * loses the job. It notices at its next write, or when it calls {@link #isLeaseOver}. It can use {@link #fence} to protect its
 * writes elsewhere.
 */
public interface ClaimedJob {
    /** {@return the job as this owner last wrote or read it; includes attached data once {@link #data} has read it} */
    Job job();

    /** {@return the identity} */
    JobId id();

    /**
     * Returns the data of the claimed job. The first call reads data that is attached to the job's document from the database.
     *
     * @return a copy
     * @throws UnreadableDataException when the attached data is damaged or missing
     * @throws io.couchjobs.couch.config.CouchException when the attached data cannot be read from the database
     */
    ObjectNode data();

    /**
     * Returns the data of the claimed job, bound to the Java type of the job type; see {@link #data()}.
     *
     * @param type the type of the job
     * @param <T> the type of the data
     * @return the bound data
     * @throws InvalidJobDataException when the data does not fit
     */
    default <T> T data(JobType<T> type) {
        return type.bind(data());
    }

    /**
     * Returns whether the lease is over: no renewal was confirmed for the timeout of the job's type, on this process's monotonic
     * clock. Another worker may own the job then, so stop, or check with {@link #assertOwned}. The next write reads the job first.
     * If this owner has lost the job, this write and all later ones throw {@link HaltException}. Otherwise a write on one node
     * renews the lease; on a cluster only the end of the run may be written, and all other writes throw. This method sends no
     * request, except to read the type's settings once after the feed was interrupted.
     *
     * @return whether the lease is over, so that this owner counts as halted
     */
    boolean isLeaseOver();

    /** {@return the UUID of this claim} */
    String token();

    /**
     * Returns the fencing number, which is greater than that of every earlier claim of this job. The numbers continue when the job
     * is removed and added again. They restart only if the tombstone was purged in between.
     *
     * @return the fencing number
     */
    long fence();

    /** {@return whether a failure of this run would be final} */
    boolean isLastRetry();

    /** {@return whether the job will run once more after this run, as far as this owner knows} */
    boolean isResubmitted();

    /**
     * Starts a job that was claimed without being started. If the job has been started already, only renews its lease.
     *
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job start();

    /**
     * Renews the lease.
     *
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job update();

    /**
     * Renews the lease and replaces the data.
     *
     * @param data a record, bean, map or JSON object
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim no longer owns the job
     */
    Job update(Object data);

    /**
     * Renews the lease and stores the progress of the run.
     *
     * @param progress the progress
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job update(Progress progress);

    /**
     * Sets the progress that the next write of this claim stores. Does not write by itself.
     *
     * @param progress the progress
     */
    void progress(Progress progress);

    /**
     * Ends the run successfully, without a result.
     *
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job finish();

    /**
     * Ends the run successfully.
     *
     * @param result anything that Jackson can write, or null for none
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the result cannot be written as JSON; the job keeps its lock
     * @throws HaltException when this claim no longer owns the job
     */
    Job finish(@Nullable Object result);

    /**
     * Ends the run successfully and replaces the data.
     *
     * @param data a record, bean, map or JSON object
     * @param result anything that Jackson can write, or null for none
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; the job keeps its lock
     * @throws HaltException when this claim no longer owns the job
     */
    Job finishAndReplaceData(Object data, @Nullable Object result);

    /**
     * Ends the run with a failure. The job is retried according to its retry policy, or fails permanently.
     *
     * @param kind the kind of failure
     * @param message a description of the problem
     * @param stackTrace the stack trace, or null
     * @param permanent true if a retry would be useless
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job fail(JobError.Kind kind, String message, @Nullable String stackTrace, boolean permanent);

    /**
     * Ends the run because a cancel was requested.
     *
     * @param reason a description of the reason
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job acknowledgeCancel(String reason);

    /**
     * Makes the job run once more at its present scheduled time; see {@link #resubmit(Instant)}.
     *
     * @return the job as stored
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit();

    /**
     * Makes the job run once more. While this run lasts, the job runs again after it, unless a cancel was requested. When the run
     * has ended, the job runs at the given time.
     *
     * @param time the earliest time to run
     * @return the job as stored
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit(Instant time);

    /**
     * Makes the job run once more, with other data if this run has ended already; see {@link #resubmit(Instant)}.
     *
     * @param time the earliest time to run
     * @param data a record, bean, map or JSON object; ignored while this claim owns the job
     * @return the job as stored
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when another claim owns the job, or it was removed
     */
    Job resubmit(Instant time, Object data);

    /**
     * Postpones the job without a failure: this run does not count as an attempt.
     *
     * @param delay the delay from now
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job snooze(Duration delay);

    /**
     * Releases the job, as if it had not been claimed.
     *
     * @return the job as stored
     * @throws HaltException when this claim no longer owns the job
     */
    Job release();

    /**
     * Reads the job again and checks that this claim owns it. On a cluster, a claim whose lease is over no longer owns the job. The
     * answer is only as recent as the read. To protect a write elsewhere, use {@link #fence}.
     *
     * @throws HaltException when this claim no longer owns the job
     * @throws io.couchjobs.couch.config.CouchJobsException when no majority of the copies can be reached, so the owner is unknown
     */
    void assertOwned();

    /**
     * Returns a writer for your own documents. Once this owner has written such a document, no earlier owner of the job can write
     * it.
     *
     * @param database the database of the documents; any database on any server
     * @return the writer of these documents
     */
    FencedDocuments fenced(CouchDatabase database);
}
