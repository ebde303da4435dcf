package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The leaves of a document in the order in which they count. Immutable and thread-safe.
 *
 * <p>A fence tells which leaf is later only when one leaf goes back to the claim of the other. A leaf that was created
 * apart may have a greater fence and be no later. For example, the insert of an existing job may reach a copy that has
 * only the tombstone of a losing leaf. It then creates the job there, on top, as a new one. Its document does not show
 * that the tombstone was not that of a removal. But its ancestors show that it parted before the job was claimed
 * elsewhere. And only one branch of a job can have been run since the branches parted, because a claim beside another
 * leaf is taken back. So a leaf that shows no run counts less than one that shows a run unknown to the former. A job
 * that is added after its removal builds on the former runs, and counts more.
 */
final class Precedence {
    private final List<Leaf> bestFirst;
    /** The leaves that count more than any removal: beside them, no leaf adds a removed job anew. */
    private final List<Leaf> standing;

    private Precedence(List<Leaf> byFence) {
        this.standing = byFence.stream().takeWhile(leaf -> !leaf.isGone()).toList();
        List<Leaf> order = new ArrayList<>(byFence);
        order.sort(Comparator.comparing((Leaf leaf) -> leaf.kind() == Leaf.Kind.MALFORMED)
                .thenComparing(this::isOutweighed));
        this.bestFirst = List.copyOf(order);
    }

    /**
     * Orders the leaves that count.
     *
     * @param leaves all leaves of one document, tombstones too, in any order; with {@code _revisions}, without which none is outweighed
     */
    static Precedence ofAll(List<ObjectNode> leaves) {
        return of(
                leaves.stream().map(Leaf::of).filter(leaf -> !leaf.isResolved()).toList());
    }

    /**
     * Orders leaves that count, given in any order. A claim that was withdrawn on one leaf owns the job on none: its
     * claimer, or the process that found it dead, knew more than a leaf that was written again meanwhile. Among several
     * withdrawals of a claim, one that says that the claim may have run counts.
     */
    static Precedence of(List<Leaf> leaves) {
        Map<String, Leaf> withdrawn = new HashMap<>();
        leaves.stream()
                .filter(Leaf::isWithdrawn)
                .sorted(Comparator.comparing(Leaf::mayHaveRun).reversed().thenComparing(Leaf.BEST_FIRST))
                .forEach(leaf -> leaf.token().ifPresent(token -> withdrawn.putIfAbsent(token, leaf)));
        boolean besideRemoval = leaves.stream().anyMatch(leaf -> leaf.kind() == Leaf.Kind.REMOVED);
        return new Precedence(leaves.stream()
                .map(leaf ->
                        leaf.token().map(withdrawn::get).map(leaf::withdrawnAs).orElse(leaf))
                .sorted(Leaf.bestFirst(besideRemoval))
                .toList());
    }

    List<Leaf> bestFirst() {
        return bestFirst;
    }

    /** Whether the job was run on another branch since this leaf parted from it, and not on this one. */
    boolean isOutweighed(Leaf leaf) {
        return isApartFrom(leaf, Leaf::hasRun);
    }

    /** Whether the leaf is outweighed, or will be by the end of a run that has an owner now. */
    boolean mayBeOutweighed(Leaf leaf) {
        return isApartFrom(leaf, other -> other.hasRun() || other.kind() == Leaf.Kind.OWNED);
    }

    private boolean isApartFrom(Leaf leaf, Predicate<Leaf> run) {
        return leaf.isFresh()
                && standing.stream().anyMatch(other -> run.test(other) && leaf.partedBeforeClaimOf(other));
    }
}
