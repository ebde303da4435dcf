package io.couchjobs.worker;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Progress;
import java.time.Instant;
import java.util.Optional;

/** The job that a handler runs, and what can be done with it meanwhile. Thread-safe. */
public final class JobContext {
    private final LeasedJob claim;
    private final RunControl run;

    JobContext(LeasedJob claim, RunControl run) {
        this.claim = claim;
        this.run = run;
    }

    /** {@return the identity of the job} */
    public JobId id() {
        return claim.id();
    }

    /** {@return the job as this worker last wrote or read it} */
    public Job job() {
        return claim.job();
    }

    /** {@return which run of the job this is, 1 for the first} */
    public int attempt() {
        return claim.job().attempt();
    }

    /** {@return whether a failure of this run would be final} */
    public boolean isLastRetry() {
        return claim.isLastRetry();
    }

    /** {@return the UUID of this claim of the job} */
    public String token() {
        return claim.token();
    }

    /**
     * A number greater than that of every earlier claim of this job (until the job is removed and its tombstone purged). A store that
     * refuses writes with a smaller number than it has seen is safe from owners that do not know yet that they lost the job;
     * for documents in CouchDB, {@link #fenced} does that.
     *
     * @return the fencing number
     */
    public long fence() {
        return claim.fence();
    }

    /**
     * Documents of your own that no former owner of this job can write once this one has.
     *
     * @param database where they are; any database, of any server
     * @return what writes them
     */
    public FencedDocuments fenced(CouchDatabase database) {
        return claim.fenced(database);
    }

    /** {@return why the handler is to stop; empty while it may go on} */
    public Optional<StopReason> stopReason() {
        return run.stopReason();
    }

    /**
     * Tells how far the run has come. Never waits: it is written by another thread, at most once a second, the newest only;
     * the last one is stored with the run's end.
     *
     * @param percent 0 to 100; values outside are clamped
     * @param message what the run is at
     */
    public void progress(int percent, String message) {
        run.progress(new Progress(percent, message));
    }

    /**
     * Replaces the job's data, and renews the lease. When the job is to be cancelled, the handler is interrupted, also while the feed
     * has not told yet.
     *
     * @param data a record, bean, map or JSON object
     * @throws io.couchjobs.job.InvalidJobDataException when the data is not a JSON object; nothing was written
     * @throws HaltException when the job is not this worker's any more
     */
    public void update(Object data) {
        claim.update(data);
        run.heed();
    }

    /**
     * Lets the job run once more after this run.
     *
     * @param time not before this time
     * @throws HaltException when the job is not this worker's any more
     */
    public void resubmit(Instant time) {
        claim.resubmit(time);
    }

    /**
     * Whether this worker counts as halted, because no renewal of its lease was confirmed for the timeout of the job's type, on its own
     * monotonic clock. No other worker has the job before. Right after the process was suspended this knows it, while {@link
     * #stopReason} may not tell yet. No I/O, so it can be asked before every write elsewhere; like {@link #assertOwned}, it
     * does not replace the {@link #fence}.
     *
     * @return whether others may have the job by now
     */
    public boolean isLeaseOver() {
        boolean over = claim.isLeaseOver(); // asked first: a renewal that came too late does not bring a lease back
        return over || run.stopReason().filter(StopReason.HALTED::equals).isPresent();
    }

    /**
     * Checks, by reading it, that the job is still this worker's; on a cluster, when the lease is over, by a renewal that a quorum
     * confirms. When the job is to be cancelled, the handler is interrupted, also while the feed has not told yet.
     *
     * @throws HaltException when it is not
     */
    public void assertOwned() {
        claim.assertOwned();
        run.heed();
    }

    /**
     * Adds a line to the job's log, which is stored with the job and read by {@code JobQueue.log} or {@code couchjobs logs};
     * SLF4J gets it too, under the name {@code couchjobs.job}.
     * Never waits: lines are written once a second; when they come faster than the database takes them, the oldest unwritten
     * ones are dropped (over 1,000 lines or 256 KB), and their number is noted.
     *
     * @param line the line; the first 8 KB of it
     */
    public void log(String line) {
        run.log(line);
    }
}
