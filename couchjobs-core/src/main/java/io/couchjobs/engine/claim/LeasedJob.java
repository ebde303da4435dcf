package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.engine.lifecycle.Retries;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobData;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.Progress;
import io.couchjobs.type.RetryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ownership of a job by a claim that a majority confirmed. Thread-safe; its writes happen one after the other. */
public final class LeasedJob implements ClaimedJob {
    private final JobStore store;
    private final ServerClock clock;
    private final RetryPolicy retryPolicy;
    private final String token;
    private final Lease lease;
    private final Ownership ownership;
    private volatile Runnable onRenewal = () -> {};

    LeasedJob(
            JobStore store,
            ServerClock clock,
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

    @Override
    public Job job() {
        return ownership.job();
    }

    @Override
    public JobId id() {
        return job().id();
    }

    @Override
    public ObjectNode data() {
        return ownership.withData().data();
    }

    /** {@return when the last confirmed write was sent, on the monotonic clock; the lease counts from this time} */
    public long confirmedNanos() {
        return lease.confirmedNanos();
    }

    @Override
    public boolean isLeaseOver() {
        return lease.isOver();
    }

    /**
     * Records that the registration of the worker, and not a write of this claim, renewed the lease.
     *
     * @param sentNanos when the confirmed renewal was sent, on the monotonic clock of {@link #confirmedNanos}
     */
    public void renewed(long sentNanos) {
        lease.renewed(sentNanos);
    }

    /** Runs a quick task once, as soon as this claim no longer owns the job; at once if it already does not. */
    public void whenEnded(Runnable told) {
        ownership.whenEnded(told);
    }

    /**
     * Runs a task each time a write of this claim renews its lease. On one node, a write also renews a lease that was over.
     *
     * @param told runs while no other write of this claim can begin; must be quick
     */
    public void whenRenewed(Runnable told) {
        onRenewal = told;
    }

    @Override
    public String token() {
        return token;
    }

    @Override
    public long fence() {
        return job().fence();
    }

    @Override
    public boolean isLastRetry() {
        return new Retries(job(), retryPolicy).areUsedUp();
    }

    @Override
    public boolean isResubmitted() {
        return job().isResubmitted();
    }

    @Override
    public Job start() {
        // An earlier call may have thrown although its write was stored: the answer was lost.
        return write((present, now) -> present.status() == JobStatus.RUNNING
                ? Transitions.update(present, null, null, now)
                : Transitions.start(present, now));
    }

    @Override
    public Job update() {
        return write((present, now) -> Transitions.update(present, null, null, now));
    }

    @Override
    public Job update(Object data) {
        ObjectNode checked = JobData.of(data);
        return write((present, now) -> Transitions.update(present, checked, null, now));
    }

    @Override
    public Job update(Progress progress) {
        return write((present, now) -> Transitions.update(present, null, progress, now));
    }

    @Override
    public void progress(Progress progress) {
        tell(() -> progress);
    }

    /** Stores a note with the next write of any kind. The note replaces an earlier one that is not stored yet. */
    public void tell(Note note) {
        ownership.untold().tell(note);
    }

    /** {@return whether a note is not stored yet, and this claim owned the job at its last write} */
    public boolean hasSomethingToTell() {
        return ownership.hasSomethingToTell();
    }

    /**
     * Writes the note that is not stored yet, if there is one and the run has not ended.
     *
     * @throws HaltException when this claim no longer owns the job
     */
    public void writeNote() {
        ownership.alone(() -> hasSomethingToTell() ? update() : job());
    }

    /**
     * Ends the run as failed for good, without the note that is not stored yet.
     *
     * @throws HaltException when this claim no longer owns the job
     */
    public Job failWithoutNote(JobError.Kind kind, String message) {
        ownership.untold().forget();
        return fail(kind, message, null, true);
    }

    @Override
    public Job finish() {
        return write((present, now) -> Transitions.finish(present, null, null, now));
    }

    @Override
    public Job finish(@Nullable Object result) {
        var json = result == null ? null : JobData.tree(result);
        return write((present, now) -> Transitions.finish(present, json, null, now));
    }

    /**
     * Sends the successful end of the run without waiting for the answer.
     *
     * @param lane where the returned future is completed
     * @return empty when an earlier write must be settled first, which {@link #finish(Object)} does. Otherwise a future of
     *     the stored job; the future's value is empty when {@link #finish(Object)} must repeat the write
     */
    public Optional<CompletableFuture<Optional<Job>>> finishBehind(@Nullable JsonNode result, Lane lane) {
        return ownership.writeBehind((present, now) -> Transitions.finish(present, result, null, now), lane);
    }

    @Override
    public Job finishAndReplaceData(Object data, @Nullable Object result) {
        var json = result == null ? null : JobData.tree(result);
        ObjectNode checked = JobData.of(data);
        return write((present, now) -> Transitions.finish(present, json, checked, now));
    }

    @Override
    public Job fail(JobError.Kind kind, String message, @Nullable String stackTrace, boolean permanent) {
        return write((present, now) -> Transitions.fail(
                present, new JobError(present.attempt(), now, kind, message, stackTrace), retryPolicy, permanent, now));
    }

    @Override
    public Job acknowledgeCancel(String reason) {
        return write((present, now) -> Transitions.acknowledgeCancel(present, reason, now));
    }

    /** {@return whether the job was claimed only to be {@linkplain #endWithoutRun ended}, because its last owner died} */
    public boolean isOnlyToEnd() {
        return EndAs.of(job()).isPresent();
    }

    /**
     * Ends a job that is not to run.
     *
     * @return the job as stored: cancelled, failed, or waiting again if another run was requested since the claim
     * @throws HaltException when this claim no longer owns the job
     */
    public Job endWithoutRun() {
        String why = EndAs.reason(job());
        return EndAs.of(job()).equals(Optional.of(JobStatus.FAILED))
                ? fail(JobError.Kind.EXPIRED, why, null, true)
                : acknowledgeCancel(why);
    }

    @Override
    public Job resubmit() {
        return resubmitAs(null, null);
    }

    @Override
    public Job resubmit(Instant time) {
        return resubmitAs(time, null);
    }

    @Override
    public Job resubmit(Instant time, Object data) {
        return resubmitAs(time, JobData.of(data));
    }

    private Job resubmitAs(@Nullable Instant time, @Nullable ObjectNode data) {
        return ownership.alone(() -> job().isLockedBy(token)
                ? write((present, now) -> Transitions.resubmitOwn(present, time, now))
                : resubmitEnded(time, data));
    }

    private Job resubmitEnded(@Nullable Instant time, @Nullable ObjectNode data) {
        try {
            return new Creator(store, clock)
                    .change(
                            id(),
                            "cannot be resubmitted",
                            (present, now) -> present.status().isLocked()
                                    ? Decision.refused(present)
                                    : Transitions.resubmit(present, time, data, now));
        } catch (JobRefusedException owned) {
            throw new HaltException(id(), "is not this owner's any more");
        } catch (NotFoundException removed) {
            throw new HaltException(id(), "was removed");
        }
    }

    @Override
    public Job snooze(Duration delay) {
        return write((present, now) -> Transitions.snooze(present, now.plus(delay), now));
    }

    @Override
    public Job release() {
        return write(Transitions::release);
    }

    @Override
    public void assertOwned() {
        Job unused = telling(() -> {
            ownership.check();
            return job();
        });
    }

    private Job write(BiFunction<Job, Instant, Decision> rule) {
        return telling(() -> ownership.write(rule));
    }

    private Job telling(Supplier<Job> work) {
        return ownership.alone(() -> {
            Job present = work.get();
            if (present.isLockedBy(token) && !lease.isOver()) {
                onRenewal.run();
            }
            return present;
        });
    }

    @Override
    public FencedDocuments fenced(CouchDatabase elsewhere) {
        return new StampedDocuments(elsewhere, this);
    }

    @Override
    public String toString() {
        return "LeasedJob[" + job() + "]";
    }
}
