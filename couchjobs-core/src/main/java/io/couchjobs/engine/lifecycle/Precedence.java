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
 * <p>A greater fence identifies the later leaf only when one leaf descends from the claim of the other. A leaf that was created
 * separately may have a greater fence without being later. For example, the insert of an existing job may reach a copy that has
 * only the tombstone of a losing leaf. The insert then creates the job anew on top of that tombstone. The new document does not
 * show that the tombstone was not a removal. But its ancestors show that it parted before the job was claimed elsewhere. Only
 * one branch of a job can have run since the branches parted, because a claim beside another leaf is withdrawn. So a leaf that
 * shows no run counts less than a leaf with a run that is not in its own history. A job that is added after its removal builds
 * on the former runs, and counts more.
 */
final class Precedence {
    private final List<Leaf> bestFirst;
    /** The leaves that count more than any removal. No leaf beside them can be an add after a removal. */
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
     * @param leaves all leaves of one document, tombstones included, in any order; with {@code _revisions}, without which
     *     no leaf is outweighed
     */
    static Precedence ofAll(List<ObjectNode> leaves) {
        return of(
                leaves.stream().map(Leaf::of).filter(leaf -> !leaf.isResolved()).toList());
    }

    /**
     * Orders leaves that count, given in any order. A claim that was withdrawn on one leaf owns the job on no leaf. Its
     * claimer, or the process that found its owner dead, knew more than a leaf that was written later. Among several
     * withdrawals of a claim, a withdrawal that says that the claim may have run counts first.
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

    /** {@return whether the job ran on another branch since this leaf parted from it, but not on this leaf} */
    boolean isOutweighed(Leaf leaf) {
        return isApartFrom(leaf, Leaf::hasRun);
    }

    /** {@return whether the leaf is outweighed, or will be outweighed when a present owner ends its run} */
    boolean mayBeOutweighed(Leaf leaf) {
        return isApartFrom(leaf, other -> other.hasRun() || other.kind() == Leaf.Kind.OWNED);
    }

    private boolean isApartFrom(Leaf leaf, Predicate<Leaf> run) {
        return leaf.isFresh()
                && standing.stream().anyMatch(other -> run.test(other) && leaf.partedBeforeClaimOf(other));
    }
}
