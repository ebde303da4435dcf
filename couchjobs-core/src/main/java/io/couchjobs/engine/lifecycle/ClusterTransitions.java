package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import java.time.Instant;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The effects of the {@linkplain Event events} by which the copies of a cluster agree on a job: a claim is withdrawn, its
 * job is restored, or a state is written again. Pure functions, as in {@link Transitions}; thread-safe.
 */
public final class ClusterTransitions {
    private static final String EXPIRED = "expired";
    private static final String KEPT = "kept";

    private ClusterTransitions() {}

    /**
     * Withdraws a claim that was stored without making an owner. The job keeps its status and its lock, which records the
     * withdrawal. {@link #restore} lets the job wait again when no other claim can own it. A claim that was withdrawn
     * before gets a new time: this write proves that a majority of the copies is in reach.
     */
    public static Decision withdraw(Job job, String reason, Instant now) {
        return Transitions.on(
                Event.WITHDRAW, job, now, edit -> edit.withdrawn(reason).stay());
    }

    /**
     * Withdraws the claim of an owner that is dead or has forgotten the claim, because the document has other leaves and
     * cannot simply {@linkplain Transitions#expire expire}. The claim may have run, so the next claim gets a greater fence.
     */
    public static Decision withdrawAfterRun(Job job, Instant now) {
        return withdraw(job, EXPIRED, now);
    }

    /** {@return whether a withdrawn claim may have had an owner whose lease ran out} */
    static boolean mayHaveRun(Job job) {
        return job.lock()
                .flatMap(Lock::withdrawn)
                .filter(withdrawn -> withdrawn.reason().equals(EXPIRED))
                .isPresent();
    }

    /**
     * Expires the claim of a dead owner, as {@link Transitions#expire(Job, OptionalInt, Instant)}, but does not end the
     * job. The owner may have ended the job on a copy that is out of reach. The owner's own end counts more than an end
     * that another process writes with the same fence. So the job waits, even if it is to be cancelled. The next claim ends
     * it, with a greater fence.
     *
     * @param maxExpirations how many leases may run out before a requested further run starts afresh; empty for no limit
     */
    public static Decision expire(Job job, OptionalInt maxExpirations, Instant now) {
        return Transitions.expire(job, maxExpirations, false, now);
    }

    /**
     * Restores a job whose claims made no owner. The job waits again as before the claim, or at the time of an add since
     * then. A claim that may have run counts as expired. A cancel request stays, see {@link #expire}. The result depends on
     * the job alone, so several processes write the same revision.
     */
    static Decision restore(Job job) {
        if (!job.isWithdrawn()) {
            return Decision.refused(job);
        }
        Instant since = job.lock().flatMap(Lock::withdrawn).orElseThrow().at();
        if (mayHaveRun(job)) {
            return expire(job, OptionalInt.empty(), since);
        }
        return Transitions.on(Event.RESTORE, job, since, edit -> {
            edit.put(Field.FENCE, Fences.effective(job)).notRun().takenAt("restored");
            return edit.waitsForEnd();
        });
    }

    /**
     * Writes a job again unchanged, in a new revision. A deletion of the former revision, made because of a withdrawn claim,
     * then has no effect. When a majority confirms the new revision, a majority of the copies has the former state of the job,
     * too. The result depends on the arguments alone.
     *
     * @param since when the claim was withdrawn, or now
     */
    public static Job keep(Job job, Instant since) {
        return new Edit(job, Event.KEEP, since).at(KEPT).stay().write().orElseThrow();
    }

    /**
     * Applies a cancel request from another leaf to a pending job. The job does not end by this: it may have ended on a
     * leaf of a copy that is out of reach, see {@link #expire}.
     */
    static Decision cancelAtNextClaim(Job job, @Nullable String reason, Instant at) {
        return EndAs.isCancelled(job)
                ? Decision.nothingToDo(job)
                : new Edit(job, Event.KEEP, at)
                        .endAs(JobStatus.CANCELLED)
                        .remove(Field.CANCEL_REASON)
                        .putIfGiven(Field.CANCEL_REASON, reason == null ? null : TextNode.valueOf(reason))
                        .at("cancelRequested")
                        .stay();
    }

    /**
     * As {@link Transitions#cancel}, but the next claim cancels a job that was taken from its last owner. The owner may
     * have ended the job on a copy that is out of reach, and a subscriber may have been told of that end.
     */
    public static Decision cancel(Job job, @Nullable String reason, Instant now) {
        return mayHaveEnded(job) ? cancelAtNextClaim(job, reason, now) : Transitions.cancel(job, reason, now);
    }

    /**
     * {@return whether the job was taken from its last owner, and no further run has been requested since} A claim that
     * made no owner does not count. A job that waits for other jobs was added again, which requested another run.
     */
    public static boolean mayHaveEnded(Job job) {
        boolean isTaken = at(job, EXPIRED) > 0 || at(job, "released") > 0;
        long taken = Math.max(Math.max(at(job, EXPIRED), at(job, "released")), at(job, "restored"));
        return job.status() == JobStatus.WAITING && job.after().isEmpty() && isTaken && taken >= lastWanted(job);
    }

    /** {@return when the job was last claimed or another run of it was requested, in ms; 0 when unknown} */
    static long lastWanted(Job job) {
        return Math.max(Math.max(at(job, Transitions.CLAIMED), at(job, "created")), at(job, "retried"));
    }

    private static long at(Job job, String moment) {
        return job.document().path(Field.TIMES).path(moment).asLong();
    }

    /**
     * Takes the job from its owner for an operator, as {@link Transitions#release}, but does not end the job, see
     * {@link #expire}.
     */
    public static Decision release(Job job, Instant now) {
        return Transitions.on(Event.RELEASE, job, now, edit -> edit.notRun()
                .takenAt("released")
                .waitsForEnd());
    }

    /** {@return the job without the cancel request to its owner} */
    public static Job withoutCancelRequest(Job job) {
        ObjectNode document = job.toDocument();
        document.remove(Field.CANCEL_REQUESTED);
        return job.rewritten(document);
    }

    /** Copies the request for another run from another leaf of the same claim. */
    static Job takeOverResubmit(Job job, Job other, Instant at) {
        return new Edit(job, Event.RESUBMIT, at)
                .put(Field.RESUBMIT, other.document().path(Field.RESUBMIT))
                .at("resubmitted")
                .stay()
                .write()
                .orElseThrow();
    }

    /** Copies the owner's data and progress from another leaf of the same claim. */
    static Job takeOverUpdate(Job job, Job other, Instant at) {
        return new Edit(job, Event.UPDATE, at)
                .dataIfGiven(other.document().get(Field.DATA) instanceof ObjectNode data ? data : null)
                .putIfGiven(Field.PROGRESS, other.document().get(Field.PROGRESS))
                .at("updated")
                .stay()
                .write()
                .orElseThrow();
    }

    /** {@return whether a job equals the written one, or differs from it only because it was {@linkplain #keep kept}} */
    public static boolean isStill(Job present, Job written) {
        return present.saysTheSameAs(written) || unkept(present).saysTheSameAs(unkept(written));
    }

    private static Job unkept(Job job) {
        if (!job.document().path(Field.TIMES).has(KEPT)) {
            return job;
        }
        ObjectNode times = job.document().path(Field.TIMES).deepCopy();
        times.remove(KEPT);
        return job.with(Field.TIMES, times);
    }
}
