package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides on a job whose document has several leaves, or a claim that made no owner: a pure function of all its leaves,
 * tombstones included. It is total, independent of their order, and idempotent: a second resolution changes nothing,
 * and any number of processes may resolve at the same time. Immutable and thread-safe.
 *
 * <p>The greater fence wins; among equals the order of {@link Leaf.Kind}. Two rules keep the job and its ends:
 *
 * <ul>
 *   <li>No live leaf is deleted before the winner was written again and confirmed by a majority in this resolution.
 *       Otherwise two sides of a cut could each delete the leaf that the other one keeps.
 *   <li>Between an owner and another leaf nothing is decided, whatever their fences, except for withdrawn claims. A
 *       leaf does not show whether a majority confirmed it, so both stay until the owner has ended, was withdrawn or
 *       has expired.
 * </ul>
 *
 * <p>A removal needs no confirmation here: a tombstone is never deleted. Each leaf that loses to a removal becomes a
 * tombstone of the same removal, for readers of copies that lack the first one. A request to cancel on a leaf that
 * loses goes over to the winner. So do a request for another run, and what the owner updated, when both leaves are the same owner's
 * claim.
 */
public final class Resolution {
    /** The verdict on the leaves. */
    public enum Verdict {
        /** There is one leaf that counts, and it needs no change. */
        SETTLED,
        /** The owner of the job cannot be known yet. */
        UNDECIDED,
        /** The winner is to be written. When a majority has confirmed that, all leaves are read again. */
        CONFIRM,
        /** The winner was confirmed: the tombstones of the others are to be written. */
        DELETE
    }

    private final Verdict verdict;
    private final @Nullable Job winner;
    private final List<ObjectNode> tombstones;

    private Resolution(Verdict verdict, @Nullable Job winner, List<ObjectNode> tombstones) {
        this.verdict = verdict;
        this.winner = winner;
        this.tombstones = List.copyOf(tombstones);
    }

    private static Resolution of(Verdict verdict) {
        return new Resolution(verdict, null, List.of());
    }

    /**
     * Decides.
     *
     * @param leaves all leaves of one document, tombstones with {@code _deleted} too, as read from the server; with
     *     {@code _revisions}, without which leaves cannot be compared reliably
     * @param confirmed the revision of a winner that a majority of the copies has just confirmed, if there is one
     */
    public static Resolution of(List<ObjectNode> leaves, Optional<String> confirmed, Instant now) {
        Precedence precedence = Precedence.ofAll(leaves);
        List<Leaf> counted = precedence.bestFirst();
        if (counted.stream().noneMatch(Leaf::isLive)) {
            return of(Verdict.SETTLED);
        }
        Leaf best = counted.get(0);
        if (isUndecided(best, precedence)) {
            return of(Verdict.UNDECIDED);
        }
        List<Leaf> losers = counted.subList(1, counted.size());
        boolean isAlone = losers.stream().noneMatch(Leaf::isLive);
        if (best.job().isPresent()) {
            boolean isConfirmed = confirmed.equals(Optional.of(best.rev()));
            Optional<Job> next = next(best, losers, isConfirmed, now);
            if (next.isPresent()) {
                return new Resolution(Verdict.CONFIRM, next.get(), List.of());
            }
            if (!isAlone && !isConfirmed) {
                return new Resolution(Verdict.CONFIRM, keep(best, losers), List.of());
            }
        }
        return isAlone ? of(Verdict.SETTLED) : new Resolution(Verdict.DELETE, null, tombstones(best, losers, now));
    }

    /**
     * The leaf by which the state of the job is known: nothing is to be resolved.
     *
     * @param leaves all leaves of one document, tombstones too, with {@code _revisions}
     * @return the leaf without {@code _revisions}, the tombstone of a removal too; empty while the leaves are to be
     *     resolved, and when there are only tombstones of leaves that lost
     */
    public static Optional<ObjectNode> settled(List<ObjectNode> leaves) {
        if (of(leaves, Optional.empty(), Instant.EPOCH).verdict() != Verdict.SETTLED) {
            return Optional.empty();
        }
        return Precedence.ofAll(leaves).bestFirst().stream().findFirst().map(Leaf::document);
    }

    /**
     * The leaf that counts most, while others are to go or nothing is decided yet. A creator's change belongs on it,
     * whichever leaf readers see.
     *
     * @param leaves all leaves of one document, tombstones too, with {@code _revisions}
     * @return the job as that leaf has it; empty when the job was removed, or no leaf can be a job
     */
    public static Optional<Job> best(List<ObjectNode> leaves) {
        return Precedence.ofAll(leaves).bestFirst().stream().findFirst().flatMap(Leaf::job);
    }

    /**
     * Whether a change by a creator stands, as far as the leaves tell. It does not when another leaf counts more, or will count more when
     * its owner has ended: the change was made on a leaf that the others had left behind, or that was created apart from them. A
     * cancellation does not stand while the job has an owner, who was not asked. A request for another run stands until a later claim:
     * it counts beside the end of the run that it was asked of.
     *
     * @param written the job as the change was confirmed, on the revision that it made
     * @param leaves all leaves of the document, tombstones too, with {@code _revisions}, as read after that
     */
    public static boolean stands(Job written, List<ObjectNode> leaves) {
        String rev = written.rev().orElseThrow();
        Precedence precedence = Precedence.ofAll(leaves);
        return precedence.bestFirst().stream()
                .filter(leaf -> leaf.kind() != Leaf.Kind.MALFORMED)
                .noneMatch(leaf -> leaf.goesBackTo(rev) ? precedence.mayBeOutweighed(leaf) : countsMore(leaf, written));
    }

    private static boolean countsMore(Leaf other, Job written) {
        if (written.phase() == JobPhase.FINISHED && other.kind() == Leaf.Kind.OWNED) {
            return true;
        }
        Leaf mine = Leaf.of(written.toDocument());
        return written.isResubmitted() ? other.fence() > mine.fence() : Leaf.BEST_FIRST.compare(other, mine) < 0;
    }

    /**
     * Whether a tombstone is that of a leaf which lost. It tells nothing about the job.
     *
     * @return whether it was deleted to resolve a conflict; false when a caller, or retention, deleted the job
     */
    public static boolean isOfLoser(ObjectNode tombstone) {
        return tombstone.hasNonNull(Leaf.RESOLVED);
    }

    public Verdict verdict() {
        return verdict;
    }

    /** {@return the job as it is to be written and confirmed, on the revision it carries; empty unless the verdict is CONFIRM} */
    public Optional<Job> winner() {
        return Optional.ofNullable(winner);
    }

    /** {@return the tombstones of the losing leaves; new copies, none unless the verdict is DELETE} */
    public List<ObjectNode> tombstones() {
        return tombstones.stream().map(ObjectNode::deepCopy).toList();
    }

    /**
     * A deletion does not wait for owners: the job is not to be run, and an owner learns it as halt. But it waits for
     * an owner that was asked for another run, which would count more than the deletion.
     */
    private static boolean isUndecided(Leaf best, Precedence precedence) {
        List<Leaf> counted = precedence.bestFirst();
        if (best.isGone()) {
            return counted.stream().anyMatch(leaf -> leaf.asksForMoreThan(best));
        }
        Optional<Leaf> owner =
                counted.stream().filter(leaf -> leaf.kind() == Leaf.Kind.OWNED).findFirst();
        return owner.isPresent()
                && counted.stream()
                        .filter(leaf -> leaf.kind() != Leaf.Kind.MALFORMED)
                        .anyMatch(leaf -> !leaf.hasTokenOf(owner.get()) && !losesTo(leaf, owner.get()));
    }

    private static boolean losesTo(Leaf leaf, Leaf owner) {
        return (leaf.kind() == Leaf.Kind.WITHDRAWN || leaf.isGone()) && runFence(leaf) < owner.fence();
    }

    /** The fence of the last run that the leaf may go back to: an expired claim may have run, though it does not count any more. */
    private static long runFence(Leaf leaf) {
        return Math.max(leaf.fence(), leaf.mayHaveRun() ? leaf.storedFence() : 0);
    }

    /** The changed winner, when it needs a change. A withdrawn claim is first withdrawn again, as a proof. */
    private static Optional<Job> next(Leaf best, List<Leaf> losers, boolean isConfirmed, Instant now) {
        Job before = best.job().orElseThrow();
        if (before.isWithdrawn() && !isConfirmed) {
            return Optional.of(withdrawAgain(before, now));
        }
        Job restored = before.isWithdrawn()
                ? ClusterTransitions.restore(before).write().orElseThrow()
                : before;
        Job toCancel = CancelRequest.addTo(restored, best.fence(), losers);
        Job asked = OwnerUpdate.addTo(ItemStates.addTo(ResubmitRequest.addTo(toCancel, losers), losers), losers);
        Job after = asked.saysTheSameAs(before) ? raiseFence(before, expiredFence(losers)) : asked;
        return after.saysTheSameAs(before) ? Optional.empty() : Optional.of(after);
    }

    /**
     * A withdrawn claim in a new revision: when a majority confirms it, that majority has the former state, too. The
     * reason stays.
     */
    private static Job withdrawAgain(Job withdrawn, Instant now) {
        String reason = withdrawn.lock().flatMap(Lock::withdrawn).orElseThrow().reason();
        return ClusterTransitions.withdraw(withdrawn, reason, now).write().orElseThrow();
    }

    /**
     * A job whose next claim has a greater fence than the given one; unchanged when that is so already. Not for an
     * owned job.
     */
    private static Job raiseFence(Job job, long least) {
        if (job.status().isLocked() || Fences.next(job) > least) {
            return job;
        }
        return job.with(Field.FENCE, LongNode.valueOf(least));
    }

    /** The greatest fence of claims that expired, and so may have run: the next claim must have a greater one. */
    private static long expiredFence(List<Leaf> losers) {
        return losers.stream()
                .filter(Leaf::isWithdrawn)
                .mapToLong(Resolution::runFence)
                .max()
                .orElse(0);
    }

    /** The same for all resolvers that see the same leaves: racing resolvers write one revision. */
    private static Job keep(Leaf best, List<Leaf> losers) {
        Job job = best.job().orElseThrow();
        Instant latest = losers.stream()
                .flatMap(loser -> loser.job().flatMap(Job::lock).flatMap(Lock::withdrawn).stream())
                .map(Lock.Withdrawal::at)
                .max(Comparator.naturalOrder())
                .orElseGet(() -> job.times().values().stream()
                        .max(Comparator.naturalOrder())
                        .orElse(Instant.EPOCH));
        return ClusterTransitions.keep(job, latest);
    }

    private static List<ObjectNode> tombstones(Leaf best, List<Leaf> losers, Instant now) {
        List<ObjectNode> tombstones = new ArrayList<>();
        for (Leaf loser : losers) {
            if (loser.isLive()) {
                tombstones.add(tombstone(loser, best, now));
            }
        }
        return tombstones;
    }

    private static ObjectNode tombstone(Leaf loser, Leaf best, Instant now) {
        ObjectNode tombstone = JsonNodeFactory.instance.objectNode();
        tombstone.set(Field.ID, loser.document().path(Field.ID));
        tombstone.put(Field.REV, loser.rev());
        tombstone.put("_deleted", true);
        JobId.fromDocId(loser.document().path(Field.ID).asText())
                .ifPresent(id -> tombstone.put("type", id.type()).put("id", id.id()));
        if (best.isGone()) {
            // The removal may be on one copy only, which others do not read: so it goes to every copy of the leaf.
            tombstone.put(Field.FENCE, best.fence());
            for (String field : List.of(Field.STATUS, Field.REMOVED_BY)) {
                if (best.document().has(field)) {
                    tombstone.set(field, best.document().get(field));
                }
            }
            return tombstone;
        }
        ObjectNode resolved = tombstone.putObject(Leaf.RESOLVED);
        resolved.put(Field.AT, now.toEpochMilli());
        resolved.put("by", best.rev());
        resolved.put("why", inWords(loser) + " lost to " + inWords(best));
        return tombstone;
    }

    private static String inWords(Leaf leaf) {
        String what =
                switch (leaf.kind()) {
                    case REMOVED -> "a removal";
                    case RETIRED -> "a deletion by retention";
                    case MALFORMED -> "a document that cannot be a job";
                    case WITHDRAWN -> "a withdrawn claim";
                    case RESUBMITTED -> "a withdrawn claim whose owner was asked for another run";
                    case OWNED ->
                        "the claim of worker "
                                + leaf.job()
                                        .flatMap(Job::lock)
                                        .map(Lock::worker)
                                        .orElse("");
                    case ENDED, CANCELLED, PENDING ->
                        "a " + leaf.job().map(Job::status).map(JobStatus::json).orElse("") + " job";
                };
        return leaf.kind() == Leaf.Kind.MALFORMED ? what : what + " (fence " + leaf.fence() + ")";
    }
}
