package io.couchjobs.job;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is to become of a job whose document has several leaves, or a claim that made no owner: a pure function of all its
 * leaves, tombstones included. Total, independent of their order, and idempotent: whoever resolves what it has resolved
 * changes nothing, and any number of processes may do so at the same time. Immutable and thread-safe.
 *
 * <p>The greater fence wins; among equals what has ended (also by removal), then who owns the job, then what is to be run, then
 * claims that were withdrawn. Nobody can know which of two owners with the same fence got the confirmation, and so both stay
 * until one has ended, was withdrawn or has expired; the same holds for an owner beside a leaf that says the run of that fence
 * is over. What third parties asked for on a leaf that loses (to cancel, to run once more) is kept.
 */
public final class Resolution {
    /** What can be said of the leaves. */
    public enum Verdict {
        /** There is one leaf that counts, and it is what it should be. */
        SETTLED,
        /** Something is to be written: the winner, or tombstones, or both. */
        WRITE,
        /** It cannot be known yet who owns the job. */
        UNDECIDED,
        /**
         * No claim made an owner. The winner is to be withdrawn once more, as a proof that a majority of the copies is in reach;
         * when CouchDB has confirmed that, the leaves are to be read again. Or a claim was withdrawn that would have won before:
         * whoever saw it then may just be deleting the leaf that wins now. That one is to be written once more, so that its
         * deletion fails, before the other goes.
         */
        PROVE
    }

    private final Verdict verdict;
    private final @Nullable Job winner;
    private final List<ObjectNode> tombstones;

    private Resolution(Verdict verdict, @Nullable Job winner, List<ObjectNode> tombstones) {
        this.verdict = verdict;
        this.winner = winner;
        this.tombstones = List.copyOf(tombstones);
    }

    /**
     * Decides.
     *
     * @param leaves all leaves of one document, tombstones with {@code _deleted} too, as read from the server; with {@code
     *     _revisions}, or else leaves are compared that cannot be
     * @param proven the revision of a winner that was just confirmed by a majority of the copies, if there is one
     * @param now the time, for the record
     * @return what to do
     */
    public static Resolution of(List<ObjectNode> leaves, Optional<String> proven, Instant now) {
        Precedence precedence = Precedence.of(
                leaves.stream().map(Leaf::of).filter(leaf -> !leaf.isResolved()).toList());
        List<Leaf> counted = precedence.bestFirst();
        if (counted.stream().noneMatch(Leaf::isLive)) {
            return new Resolution(Verdict.SETTLED, null, List.of());
        }
        Leaf best = counted.get(0);
        if (isUndecided(best, precedence)) {
            return new Resolution(Verdict.UNDECIDED, null, List.of());
        }
        List<Leaf> losers = counted.subList(1, counted.size());
        if (!proven.equals(Optional.of(best.rev()))) {
            Optional<Job> proof = proof(best, losers, precedence, now);
            if (proof.isPresent()) {
                return new Resolution(Verdict.PROVE, proof.get(), List.of());
            }
        }
        Job winner = winner(best, losers);
        List<ObjectNode> tombstones = tombstones(best, losers, now);
        boolean settled = winner == null && tombstones.isEmpty();
        return new Resolution(settled ? Verdict.SETTLED : Verdict.WRITE, winner, tombstones);
    }

    /** {@return what can be said} */
    public Verdict verdict() {
        return verdict;
    }

    /** {@return the job as it is to be written first, on the revision it carries; empty when the winner is right as it is} */
    public Optional<Job> winner() {
        return Optional.ofNullable(winner);
    }

    /** {@return the tombstones of the losing leaves, to be written when the winner is confirmed; new copies} */
    public List<ObjectNode> tombstones() {
        return tombstones.stream().map(ObjectNode::deepCopy).toList();
    }

    /** An owner loses only to the end of its run, to a later claim, or to what came after a later claim. */
    private static boolean isUndecided(Leaf best, Precedence precedence) {
        List<Leaf> counted = precedence.bestFirst();
        Optional<Leaf> owner =
                counted.stream().filter(leaf -> leaf.kind() == Leaf.Kind.OWNED).findFirst();
        boolean ended = best.kind() == Leaf.Kind.GONE || best.kind() == Leaf.Kind.ENDED;
        if (owner.isEmpty() || ended) {
            return false;
        }
        if (precedence.isRivalled(best)) {
            return true;
        }
        if (best.kind() != Leaf.Kind.OWNED) {
            // Others than couchjobs may have written any number of times since: that is no later claim.
            return !best.hasFence();
        }
        return counted.stream()
                .filter(leaf -> leaf.kind() != Leaf.Kind.MALFORMED)
                .anyMatch(leaf -> knows(leaf) >= best.fence() && !leaf.hasTokenOf(best));
    }

    /** The last claim that a leaf knows of: a withdrawn one was made when the claim before it was over. */
    private static long knows(Leaf leaf) {
        return leaf.kind() == Leaf.Kind.WITHDRAWN ? leaf.storedFence() - 1 : leaf.fence();
    }

    /** What is to be confirmed before any leaf may go. */
    private static Optional<Job> proof(Leaf best, List<Leaf> losers, Precedence precedence, Instant now) {
        return switch (best.kind()) {
            case WITHDRAWN -> Optional.of(again(best.job(), now));
            case ENDED, OWNED, CALLED_OFF, PENDING ->
                losers.stream()
                        .filter(loser -> loser.hasBeaten(best) && !precedence.isOutweighed(loser))
                        .map(loser ->
                                loser.job().lock().flatMap(Lock::withdrawn).orElseThrow())
                        .map(Lock.Withdrawal::at)
                        .max(Comparator.naturalOrder())
                        .map(since -> Transitions.keep(best.job(), since));
            case GONE, MALFORMED -> Optional.empty();
        };
    }

    private static Job again(Job withdrawn, Instant now) {
        String reason = withdrawn
                .lock()
                .flatMap(Lock::withdrawn)
                .map(Lock.Withdrawal::reason)
                .orElse("");
        return Transitions.withdraw(withdrawn, reason, now).write().orElseThrow();
    }

    private static @Nullable Job winner(Leaf best, List<Leaf> losers) {
        if (best.kind() == Leaf.Kind.GONE || best.kind() == Leaf.Kind.MALFORMED) {
            return null;
        }
        boolean restores = best.kind() == Leaf.Kind.WITHDRAWN;
        Job before = best.job();
        Job winner = restores ? Transitions.restore(before).write().orElseThrow() : before;
        Job after = Asked.of(winner, losers);
        return after.saysTheSameAs(before) ? null : after;
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
        ObjectNode resolved = tombstone.putObject(Leaf.RESOLVED);
        resolved.put(Field.AT, now.toEpochMilli());
        resolved.put("by", best.rev());
        resolved.put("why", inWords(loser) + " lost to " + inWords(best));
        return tombstone;
    }

    private static String inWords(Leaf leaf) {
        String what =
                switch (leaf.kind()) {
                    case GONE -> "a removal";
                    case MALFORMED -> "a document that cannot be a job";
                    case WITHDRAWN -> "a withdrawn claim";
                    case OWNED ->
                        "the claim of worker "
                                + leaf.job().lock().map(Lock::worker).orElse("");
                    case ENDED, CALLED_OFF, PENDING ->
                        "a " + leaf.job().status().json() + " job";
                };
        return leaf.kind() == Leaf.Kind.MALFORMED ? what : what + " (fence " + leaf.fence() + ")";
    }
}
