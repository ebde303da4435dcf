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
 * Decides on a job whose document has several leaves, or whose claim made no owner: a pure function of all leaves,
 * tombstones included. The function is total, idempotent and independent of the order of the leaves. A second resolution
 * changes nothing, and any number of processes may resolve at the same time. Immutable and thread-safe.
 *
 * <p>The greater fence wins. Among equal fences the order of {@link Leaf.Kind} decides. Two rules keep the job and its
 * ends:
 *
 * <ul>
 * <li>No live leaf is deleted before the winner was written again and confirmed by a majority in this resolution. Otherwise
 *   two sides of a partition could each delete the leaf that the other side keeps.
 * <li>Nothing is decided between an owner and another leaf, whatever their fences, except for withdrawn claims. A leaf does
 *   not show whether a majority confirmed it. So both leaves stay until the owner has ended, was withdrawn or has expired.
 * </ul>
 *
 * <p>A removal needs no confirmation here, because a tombstone is never deleted. Each leaf that loses to a removal becomes
 * a tombstone of the same removal, for readers of copies that lack the first tombstone. A cancel request on a losing leaf
 * is copied to the winner. A request for another run and the owner's updates are copied, too, when both leaves belong to
 * the same claim.
 */
public final class Resolution {
    /** The verdict on the leaves. */
    public enum Verdict {
        /** One leaf counts, and it needs no change. */
        SETTLED,
        /** The owner of the job is not known yet. */
        UNDECIDED,
        /** The winner is to be written. After a majority has confirmed it, all leaves are read again. */
        CONFIRM,
        /** The winner was confirmed. The tombstones of the losing leaves are to be written. */
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
     * Decides which leaf wins and what is to be written.
     *
     * @param leaves all leaves of one document as read from the server, tombstones with {@code _deleted} included; with
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
     * Returns the leaf that determines the job's state when nothing is to be resolved.
     *
     * @param leaves all leaves of one document, tombstones included, with {@code _revisions}
     * @return the leaf without {@code _revisions}, which may be the tombstone of a removal; empty while the leaves are to
     *     be resolved, and when all leaves are tombstones of losing leaves
     */
    public static Optional<ObjectNode> settled(List<ObjectNode> leaves) {
        if (of(leaves, Optional.empty(), Instant.EPOCH).verdict() != Verdict.SETTLED) {
            return Optional.empty();
        }
        return Precedence.ofAll(leaves).bestFirst().stream().findFirst().map(Leaf::document);
    }

    /**
     * Returns the job on the leaf that counts most, even before the conflict is resolved. A creator must change the job on
     * this leaf, whichever leaf readers see.
     *
     * @param leaves all leaves of one document, tombstones included, with {@code _revisions}
     * @return the job on that leaf; empty when the job was removed, or no leaf can be a job
     */
    public static Optional<Job> best(List<ObjectNode> leaves) {
        return Precedence.ofAll(leaves).bestFirst().stream().findFirst().flatMap(Leaf::job);
    }

    /**
     * Returns whether a creator's change stands, as far as the leaves show. The change does not stand when another leaf counts
     * more, or will count more when its owner has ended. In that case the change was made on a leaf that was out of date, or
     * that was created separately. A cancellation does not stand while the job has an owner, because the owner was not asked. A
     * request for another run stands until a later claim, because it counts beside the end of the run that was under way.
     *
     * @param written the job as the change was confirmed, with the revision of the change
     * @param leaves all leaves of the document, tombstones included, with {@code _revisions}, read after the confirmation
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
     * Returns whether a tombstone deleted a losing leaf. Such a tombstone tells nothing about the job.
     *
     * @return whether the tombstone was written to resolve a conflict; false when a caller or retention deleted the job
     */
    public static boolean isOfLoser(ObjectNode tombstone) {
        return tombstone.hasNonNull(Leaf.RESOLVED);
    }

    public Verdict verdict() {
        return verdict;
    }

    /** {@return the job to be written and confirmed, with the revision to write on; empty unless the verdict is CONFIRM} */
    public Optional<Job> winner() {
        return Optional.ofNullable(winner);
    }

    /** {@return new copies of the tombstones of the losing leaves; empty unless the verdict is DELETE} */
    public List<ObjectNode> tombstones() {
        return tombstones.stream().map(ObjectNode::deepCopy).toList();
    }

    /**
     * Returns whether an owner keeps the resolution from a decision. A deletion does not wait for owners: the job must not
     * run, and its owner halts. But the deletion waits for an owner that was asked for another run, which would count more
     * than the deletion.
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

    /** {@return the fence of the last run in the leaf's history; an expired claim may have run, though it no longer counts} */
    private static long runFence(Leaf leaf) {
        return Math.max(leaf.fence(), leaf.mayHaveRun() ? leaf.storedFence() : 0);
    }

    /**
     * {@return the changed winner, if it needs a change} A withdrawn claim is first withdrawn again, as proof that a
     * majority has it.
     */
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
     * Withdraws a claim again, in a new revision. When a majority confirms that revision, the same majority has the former
     * state, too. The reason stays.
     */
    private static Job withdrawAgain(Job withdrawn, Instant now) {
        String reason = withdrawn.lock().flatMap(Lock::withdrawn).orElseThrow().reason();
        return ClusterTransitions.withdraw(withdrawn, reason, now).write().orElseThrow();
    }

    /**
     * {@return a job whose next claim has a fence greater than the given one; the same job when no change is needed} An
     * owned job stays unchanged.
     */
    private static Job raiseFence(Job job, long least) {
        if (job.status().isLocked() || Fences.next(job) > least) {
            return job;
        }
        return job.with(Field.FENCE, LongNode.valueOf(least));
    }

    /** {@return the greatest fence of the expired claims, which may have run; the next claim needs a greater fence} */
    private static long expiredFence(List<Leaf> losers) {
        return losers.stream()
                .filter(Leaf::isWithdrawn)
                .mapToLong(Resolution::runFence)
                .max()
                .orElse(0);
    }

    /**
     * Keeps the winner. The result is the same for all resolvers that see the same leaves, so racing resolvers write one
     * revision.
     */
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
            // Readers of other copies may not see the removal. So each losing leaf gets a tombstone of the removal,
            // which reaches every copy.
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
