package io.couchjobs.worker;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/** The job that a handler runs, and what can be done with it meanwhile. Thread-safe. */
public interface JobContext {
    /** {@return the identity of the job} */
    JobId id();

    /** {@return the job as this worker last wrote or read it, with its data} */
    Job job();

    /** {@return which run of the job, or of the array's item, this is, 1 for the first} */
    int attempt();

    /** {@return the index of the item in its array, from 0 on; empty for a job that is no part of an array} */
    default OptionalLong item() {
        return OptionalLong.empty();
    }

    /** {@return whether a failure of this run would be final} */
    boolean isLastRetry();

    /** {@return the UUID of this claim of the job} */
    String token();

    /**
     * A number greater than that of every earlier claim of this job (until the job is removed and its tombstone
     * purged). A store that refuses writes with a smaller number than it has seen is safe from owners that do not know
     * yet that they lost the job; for documents in CouchDB, {@link #fenced} does that.
     *
     * @return the fencing number
     */
    long fence();

    /**
     * Documents of your own that no former owner of this job can write once this one has.
     *
     * @param database where they are; any database, of any server
     * @return what writes them
     */
    FencedDocuments fenced(CouchDatabase database);

    /** {@return why the handler is to stop; empty while it may go on} */
    Optional<StopReason> stopReason();

    /**
     * Tells how far the run has come. Never waits: it is written by another thread, at most once a second, the newest only;
     * the last one is stored with the run's end.
     *
     * @param percent 0 to 100; values outside are clamped
     * @param message what the run is at
     */
    void progress(int percent, String message);

    /**
     * Replaces the job's data, and renews the lease. When the job is to be cancelled, the handler is interrupted, also
     * while the feed has not told yet.
     *
     * @param data a record, bean, map or JSON object
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when the job is not this worker's any more
     */
    void update(Object data);

    /**
     * Lets the job run once more after this run.
     *
     * @param time not before this time
     * @throws HaltException when the job is not this worker's any more
     */
    void resubmit(Instant time);

    /**
     * Whether this worker counts as halted, because no renewal of its lease was confirmed for the timeout of the job's type, on
     * its own monotonic clock. Until then, no monitor gives the job to another worker; only an operator may. Right after the
     * process was suspended, this method says that the lease is over, while {@link #stopReason} may not say so yet. You can call
     * this method before every write elsewhere: it sends no request, except to read the type's settings once after the feed was
     * interrupted. Like {@link #assertOwned}, it does not replace the {@link #fence}.
     *
     * @return whether others may have the job by now
     */
    boolean isLeaseOver();

    /**
     * Reads the job and checks that this worker still owns it. On a cluster a worker whose lease is over no longer owns the job.
     * When the job is to be cancelled, the handler is interrupted, even before the feed tells of the cancel request.
     *
     * @throws HaltException when this worker does not own the job any more
     * @throws io.couchjobs.couch.config.CouchJobsException when no majority of the copies is in reach: nobody can tell
     */
    void assertOwned();

    /**
     * Adds a line to the job's log, which is stored with the job and read by {@link
     * io.couchjobs.job.Logs#read(String, String)} or {@code couchjobs logs}; SLF4J gets it too, under the name {@code
     * couchjobs.job}. Never waits: lines are written once a second;
     * when they come faster than the database takes them, the oldest unwritten ones are dropped (over 1,000 lines or
     * 256 KB), and their number is noted.
     *
     * @param line the line; the first 8 KB of it
     */
    void log(String line);

    /** Why a handler is to stop before it is done. Immutable and thread-safe. */
    enum StopReason {
        /** The job is not this worker's any more: removed, taken over, or its lease could not be renewed. */
        HALTED,
        /** Somebody cancelled the job. */
        CANCELLED,
        /** The run takes longer than its time limit. */
        TOO_SLOW,
        /** The worker closes and the time for that is over. */
        CLOSING
    }
}
