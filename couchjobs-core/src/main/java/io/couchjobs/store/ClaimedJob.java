package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Decision;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
import io.couchjobs.job.Progress;
import io.couchjobs.job.RetryPolicy;
import io.couchjobs.job.Transitions;
import io.couchjobs.problem.CouchJobsException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
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
    private static final int MOST_ATTEMPTS = 20;

    private final JobStore store;
    private final StoreClock clock;
    private final RetryPolicy retryPolicy;
    private final String token;
    /** Read without the monitor, which a write that hangs may hold for long: who looks after leases must not wait for it. */
    private volatile Job job;

    private final Lease lease;
    /** What is to be done when this claim does not own the job any more; once. */
    private final AtomicReference<@Nullable Runnable> onEnd;
    /** Goes with the next write, whatever that is. */
    private final AtomicReference<@Nullable Progress> untold = new AtomicReference<>();
    /** Writes that were sent and neither confirmed nor refused: any of them may be what is stored. */
    private final List<Job> unconfirmed = new ArrayList<>();

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
        this.job = job;
        this.lease = lease;
        this.onEnd = new AtomicReference<>(onEnd);
    }

    /** {@return the job as this owner last wrote or read it} */
    public Job job() {
        return job;
    }

    /** {@return the identity} */
    public JobId id() {
        return job().id();
    }

    /** {@return a copy of the data} */
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
        untold.set(progress);
    }

    /** {@return whether there is progress that no write has told yet, of a job that this claim owned when it last wrote} */
    public boolean hasProgressToTell() {
        return untold.get() != null && job.isLockedBy(token);
    }

    /**
     * Writes the progress that no write has told yet, if there is some and the run has not ended.
     *
     * @throws HaltException when this claim does not own the job any more
     */
    public synchronized void writeProgress() {
        if (hasProgressToTell()) {
            update();
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

    private synchronized Job resubmitAs(@Nullable Instant time, @Nullable ObjectNode data) {
        if (job.isLockedBy(token)) {
            return write((present, now) -> Transitions.resubmitOwn(present, time, now));
        }
        try {
            return new Creator(store, clock).change(job.id(), "cannot be resubmitted", (present, now) -> {
                if (present.status().isLocked()) {
                    throw notOurs(present);
                }
                return Transitions.resubmit(present, time, data, now);
            });
        } catch (JobNotFoundException removed) {
            throw new HaltException(job.id(), "was removed");
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
     * Reads the job again and checks that this claim owns it. The answer is as old as the read: to guard a write elsewhere,
     * use {@link #fence}.
     *
     * @throws HaltException when this claim does not own the job any more
     */
    public synchronized void assertOwned() {
        job = owned(leaves());
    }

    private synchronized Job write(BiFunction<Job, Instant, Decision> rule) {
        Instant now = clock.instant();
        Backoff backoff = new Backoff(store.surroundings(), Duration.ofMillis(5), Duration.ofMillis(500));
        if (!job.isLockedBy(token)) {
            throw new HaltException(job.id(), "is " + job.status().json() + " by this owner's own doing");
        }
        if (unconfirmed.isEmpty() && lease.isOver()) {
            // On a cluster the own revision may be a leaf that lost, where a write would succeed and mean nothing.
            job = owned(leaves());
        }
        if (mustRepeatItself() && settles(unconfirmed.get(unconfirmed.size() - 1)) && !job.isLockedBy(token)) {
            return job;
        }
        while (backoff.attempts() < MOST_ATTEMPTS) {
            Progress told = untold.get();
            Decision decision = rule.apply(with(told, now), now);
            if (decision.write().isEmpty()) {
                return unchanged(decision);
            }
            if (settles(decision.write().get())) {
                untold.compareAndSet(told, null);
                return job;
            }
            pause(backoff);
        }
        throw new ContentionException(job.id(), backoff.attempts());
    }

    private Job with(@Nullable Progress progress, Instant now) {
        return progress == null
                ? job
                : Transitions.update(job, null, progress, now).write().orElse(job);
    }

    /** On a cluster two different writes on one revision could both be stored: what was sent before is settled first. */
    private boolean mustRepeatItself() {
        return !unconfirmed.isEmpty() && store.isCluster();
    }

    /** Writes until that is confirmed or refused; true when the write is in place. */
    private boolean settles(Job next) {
        if (!unconfirmed.contains(next)) {
            unconfirmed.add(next);
        }
        Backoff backoff = new Backoff(store.surroundings(), Duration.ofMillis(50), Duration.ofSeconds(5));
        while (true) {
            long sent = clock.nanos();
            WriteResult written = store.write(next);
            if (written instanceof WriteResult.Stored stored) {
                confirmed(next.withRev(stored.rev()), sent);
                return true;
            }
            if (written instanceof WriteResult.Refused refused) {
                unconfirmed.remove(next);
                throw new WriteRefusedException(refused);
            }
            if (written instanceof WriteResult.Conflict) {
                return isInPlaceAfterAll(next, sent);
            }
            // Nothing is built on a write that no quorum has confirmed: it is repeated as it is.
            haltIfLeaseIsOver();
            pause(backoff);
            haltIfLeaseIsOver();
        }
    }

    private void haltIfLeaseIsOver() {
        if (lease.isOver()) {
            store.look(job.id());
            ended();
            throw new HaltException(
                    job.id(), "could not be written to a majority of its copies for as long as its lease");
        }
    }

    /** A conflict may be with ourselves: an earlier try of this write was stored and its answer was lost. */
    private boolean isInPlaceAfterAll(Job next, long sent) {
        Leaves present = leaves();
        Optional<Job> inPlace = present.first(leaf -> leaf.saysTheSameAs(next) || isOurEnd(leaf));
        if (inPlace.isPresent()) {
            haltIfRivalled(present, inPlace.get());
            // What is read on a cluster proves no majority, and renews nothing.
            confirmed(inPlace.get(), store.isCluster() ? lease.confirmedNanos() : sent);
            return true;
        }
        job = owned(present);
        unconfirmed.clear();
        return false;
    }

    private boolean isOurEnd(Job leaf) {
        return !leaf.isLockedBy(token) && unconfirmed.stream().anyMatch(leaf::saysTheSameAs);
    }

    private void confirmed(Job stored, long sent) {
        job = stored;
        lease.renewed(sent);
        unconfirmed.clear();
        if (!stored.isLockedBy(token)) {
            ended();
        }
    }

    private void ended() {
        Runnable once = onEnd.getAndSet(null);
        if (once != null) {
            once.run();
        }
    }

    private static Job unchanged(Decision decision) {
        if (decision.isRefused()) {
            throw new HaltException(
                    decision.before().id(), "is " + decision.before().status().json());
        }
        return decision.before();
    }

    private Leaves leaves() {
        try {
            Leaves leaves = store.leaves(job.id());
            if (leaves.winner().isEmpty()) {
                ended();
                throw new HaltException(job.id(), "was removed");
            }
            return leaves;
        } catch (MalformedJobException overwritten) {
            throw new HaltException(job.id(), "was overwritten by something that is no job");
        }
    }

    /** The leaf by which this claim owns the job. The one that readers see may be another's, who has lost: that is no halt. */
    private Job owned(Leaves present) {
        Optional<Job> own = present.ownedBy(token);
        if (own.isEmpty()) {
            ended();
            throw notOurs(present.winner().orElse(job));
        }
        haltIfRivalled(present, own.get());
        return own.get();
    }

    /** Within the lease nobody else can have got the job; after it, who else has a claim that is as good or better has it. */
    private void haltIfRivalled(Leaves present, Job own) {
        if (present.areInConflict() && lease.isOver() && present.rival(own, token)) {
            ended();
            throw notOurs(present.winner().orElse(job));
        }
    }

    private static HaltException notOurs(Job present) {
        return new HaltException(present.id(), "is " + present.status().json() + " and not this owner's any more");
    }

    private void pause(Backoff backoff) {
        try {
            backoff.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while writing job " + job.id() + "; the job keeps its lock", e);
        }
    }

    @Override
    public String toString() {
        return "ClaimedJob[" + job() + "]";
    }
}
