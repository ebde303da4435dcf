package io.couchjobs.worker;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The context of a run: the job that a handler runs, and the operations on it. Thread-safe. */
public interface JobContext {
    /** {@return the identity of the job} */
    JobId id();

    /** {@return the job as this worker last wrote or read it, with its data} */
    Job job();

    /** {@return the number of this run of the job, or of the array's item, 1 for the first} */
    int attempt();

    /** {@return the index of the item in its array, starting at 0; empty for a job that is not part of an array} */
    default OptionalLong item() {
        return OptionalLong.empty();
    }

    /** {@return whether a failure of this run would be final} */
    boolean isLastRetry();

    /** {@return the UUID of this claim of the job} */
    String token();

    /**
     * Returns the fencing number, which is greater than that of every earlier claim of this job (until the job is removed and its
     * tombstone purged). A store that refuses writes with a smaller number than it has seen is protected against owners that do not
     * know yet that they have lost the job. For documents in CouchDB, {@link #fenced} does that.
     *
     * @return the fencing number
     */
    long fence();

    /**
     * Returns a writer for your own documents. Once this owner has written such a document, no earlier owner of the job can write
     * it.
     *
     * @param database the database of the documents; any database on any server
     * @return the writer of these documents
     */
    FencedDocuments fenced(CouchDatabase database);

    /** {@return why the handler must stop; empty while it may continue} */
    Optional<StopReason> stopReason();

    /**
     * Sets the progress of the run. Never waits: another thread writes the newest progress at most once a second. The last progress
     * is stored with the end of the run.
     *
     * @param percent the percentage, 0 to 100; values outside this range are clamped
     * @param message the present step of the run
     */
    void progress(int percent, String message);

    /**
     * Replaces the job's data and renews the lease. If a cancel was requested, the handler is interrupted, even before the feed
     * reports the request.
     *
     * @param data a record, bean, map or JSON object
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when this worker no longer owns the job
     */
    void update(Object data);

    /**
     * Makes the job run once more after this run.
     *
     * @param time the earliest time to run
     * @throws HaltException when this worker no longer owns the job
     */
    void resubmit(Instant time);

    /**
     * Returns whether the lease is over: no renewal was confirmed for the timeout of the job's type, on this worker's monotonic
     * clock. Until then, no monitor gives the job to another worker; only an operator can. Right after the process was suspended,
     * this method already returns true, while {@link #stopReason} may still be empty. You can call this method before every write
     * elsewhere: it sends no request, except to read the type's settings once after the feed was interrupted. Like {@link
     * #assertOwned}, it does not replace the {@link #fence}.
     *
     * @return whether the lease is over, so that another worker may own the job
     */
    boolean isLeaseOver();

    /**
     * Reads the job and checks that this worker still owns it. On a cluster, a worker whose lease is over no longer owns the job.
     * If a cancel was requested, the handler is interrupted, even before the feed reports the request.
     *
     * @throws HaltException when this worker no longer owns the job
     * @throws io.couchjobs.couch.config.CouchJobsException when no majority of the copies can be reached, so the owner is unknown
     */
    void assertOwned();

    /**
     * Adds a line to the job's log. The log is stored in the queue's database and read by {@link io.couchjobs.job.Logs#read(String,
     * String)} or {@code couchjobs logs}. The line also goes to SLF4J, to the logger {@code couchjobs.job}. Never waits: lines are
     * written once a second. If lines arrive faster than the database stores them, the oldest unwritten lines beyond 1,000 lines or
     * 256 KB are dropped, and their number is noted.
     *
     * @param line the line; only the first 8 KB are kept
     */
    void log(String line);

    /** The reason why a handler must stop early. Immutable and thread-safe. */
    enum StopReason {
        /** This worker no longer owns the job: the job was removed or taken over, or its lease could not be renewed. */
        HALTED,
        /** The job was cancelled. */
        CANCELLED,
        /** The run exceeded its time limit. */
        TOO_SLOW,
        /** The worker is closing and the timeout is over. */
        CLOSING
    }
}
