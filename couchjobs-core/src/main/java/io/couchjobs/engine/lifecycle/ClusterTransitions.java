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
 * The effect of the {@linkplain Event events} by which the copies of a cluster come to agree on a job: a claim is taken back, its
 * job restored, a state written again. Pure functions, as in {@link Transitions}; thread-safe.
 */
public final class ClusterTransitions {
    private static final String EXPIRED = "expired";
    private static final String KEPT = "kept";

    private ClusterTransitions() {}

    /**
     * A claim that was stored without making an owner is taken back. The job keeps its status and its lock, which
     * states the withdrawal; {@link #restore} lets it wait again when no other claim can own it. A claim that was
     * withdrawn before gets a new time: that write proves that a majority of the copies is in reach.
     */
    public static Decision withdraw(Job job, String reason, Instant now) {
        return Transitions.on(
                Event.WITHDRAW, job, now, edit -> edit.withdrawn(reason).stay());
    }

    /**
     * A claim of a dead owner, or of one that has forgotten it, is taken back, because the document has other leaves and cannot
     * simply {@linkplain Transitions#expire expire}. It may have run: the next claim's fence is greater than its own.
     */
    public static Decision withdrawAfterRun(Job job, Instant now) {
        return withdraw(job, EXPIRED, now);
    }

    /** Whether a withdrawn claim may have been an owner, whose run expired. */
    static boolean mayHaveRun(Job job) {
        return job.lock()
                .flatMap(Lock::withdrawn)
                .filter(withdrawn -> withdrawn.reason().equals(EXPIRED))
                .isPresent();
    }

    /**
     * The activity monitor finds the owner dead, as in {@link Transitions#expire(Job, OptionalInt, Instant)}, but the job does not end:
     * the owner may have ended it on a copy that is out of reach, and an end of its own counts more than one that others write with
     * its fence. So the job waits, also when it is to be cancelled. The next claim ends it, with a greater fence.
     *
     * @param maxExpirations how many leases may run out before another run that was asked for begins afresh; empty is any number
     */
    public static Decision expire(Job job, OptionalInt maxExpirations, Instant now) {
        return Transitions.expire(job, maxExpirations, false, now);
    }

    /**
     * No claim of a job made an owner: it waits again as before the claim, at the time of an add meanwhile. A claim that may have
     * run counts as expired. A request to cancel stays, see {@link #expire}. This is a function of the job alone, so that several
     * processes write the same revision.
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
     * A job stays as it is, in a new revision. A deletion of the former revision, because of a claim that was taken back, then
     * has no effect. When a quorum confirms the new revision, a majority of the copies has the job's former state, too. A
     * function of the arguments alone.
     *
     * @param since when the claim was taken back, or now
     */
    public static Job keep(Job job, Instant since) {
        return new Edit(job, Event.KEEP, since).at(KEPT).stay().write().orElseThrow();
    }

    /**
     * A request to cancel, on another leaf, goes over to a job that waits. It does not end the job: another leaf, of a copy that is out of
     * reach, may have ended, see {@link #expire}.
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
     * As {@link Transitions#cancel}, but a job that others took from its last owner waits for the next claim to cancel it: the owner may have
     * ended it on a copy that is out of reach, and somebody may have been told that end.
     */
    public static Decision cancel(Job job, @Nullable String reason, Instant now) {
        return mayHaveEnded(job) ? cancelAtNextClaim(job, reason, now) : Transitions.cancel(job, reason, now);
    }

    /**
     * Whether others took the job from its last owner, and nobody has wanted another run since. A claim that made no owner does not count as
     * an owner. A job that waits for others was added again, so somebody wanted another run.
     */
    public static boolean mayHaveEnded(Job job) {
        boolean isTaken = at(job, EXPIRED) > 0 || at(job, "released") > 0;
        long taken = Math.max(Math.max(at(job, EXPIRED), at(job, "released")), at(job, "restored"));
        return job.status() == JobStatus.WAITING && job.after().isEmpty() && isTaken && taken >= lastWanted(job);
    }

    /** When the job was last claimed, or another run of it was wanted; 0 when nothing tells. */
    static long lastWanted(Job job) {
        return Math.max(Math.max(at(job, Transitions.CLAIMED), at(job, "created")), at(job, "retried"));
    }

    private static long at(Job job, String moment) {
        return job.document().path(Field.TIMES).path(moment).asLong();
    }

    /** An operator takes the job from its owner, as {@link Transitions#release} does, but it does not end by that, see {@link #expire}. */
    public static Decision release(Job job, Instant now) {
        return Transitions.on(Event.RELEASE, job, now, edit -> edit.notRun()
                .takenAt("released")
                .waitsForEnd());
    }

    /** The job as if nobody had asked its owner to cancel it. */
    public static Job withoutCancelRequest(Job job) {
        ObjectNode document = job.toDocument();
        document.remove(Field.CANCEL_REQUESTED);
        return job.rewritten(document);
    }

    /** The owner of a job is asked for another run, as on another leaf of the same claim. */
    static Job takeOverResubmit(Job job, Job other, Instant at) {
        return new Edit(job, Event.RESUBMIT, at)
                .put(Field.RESUBMIT, other.document().path(Field.RESUBMIT))
                .at("resubmitted")
                .stay()
                .write()
                .orElseThrow();
    }

    /** The owner updated the job, on another leaf of the same claim. */
    static Job takeOverUpdate(Job job, Job other, Instant at) {
        return new Edit(job, Event.UPDATE, at)
                .dataIfGiven(other.document().get(Field.DATA) instanceof ObjectNode data ? data : null)
                .putIfGiven(Field.PROGRESS, other.document().get(Field.PROGRESS))
                .at("updated")
                .stay()
                .write()
                .orElseThrow();
    }

    /** Whether a job is as it was written, or differs from that only because it was {@linkplain #keep kept}. */
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
