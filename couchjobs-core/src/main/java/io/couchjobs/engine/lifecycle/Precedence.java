package io.couchjobs.engine.lifecycle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The leaves of a document in the order in which they count. Immutable and thread-safe.
 *
 * <p>A fence tells who came later only among leaves one of which goes back to the claim of the other. A leaf that was created
 * apart may have a greater one and be no later: whoever inserts a job that exists already may reach a copy which has nothing
 * of it but the tombstone of a leaf that lost, and creates it there, on top, as a new one. Nobody can see from its document
 * that the tombstone was not that of a removal. But the revisions that it goes back to say that it parted before the job was
 * claimed elsewhere; and only one of the branches of a job can have been run since they parted, for who claims beside another
 * leaf takes the claim back. So a leaf that shows no run counts less than one that shows a run which the former knows nothing
 * of. Whoever adds a job after its removal builds on what was run, and counts more.
 */
final class Precedence {
    private final List<Leaf> bestFirst;
    /** Those that count more than any removal: beside them, nobody asks for a removed job anew. */
    private final List<Leaf> standing;

    private Precedence(List<Leaf> byFence) {
        this.standing = byFence.stream().takeWhile(leaf -> !leaf.isGone()).toList();
        List<Leaf> order = new ArrayList<>(byFence);
        order.sort(Comparator.comparing((Leaf leaf) -> leaf.kind() == Leaf.Kind.MALFORMED)
                .thenComparing(this::isOutweighed));
        this.bestFirst = List.copyOf(order);
    }

    /**
     * Of leaves that count, in whatever order. A claim that was withdrawn on one leaf owns the job by none: its claimer, or who found
     * it dead, knows more than a leaf that was written again meanwhile. Of several withdrawals that one counts which says that the
     * claim may have run.
     */
    static Precedence of(List<Leaf> leaves) {
        Map<String, Leaf> withdrawn = new HashMap<>();
        leaves.stream()
                .filter(Leaf::isWithdrawn)
                .sorted(Comparator.comparing(Leaf::mayHaveRun).reversed().thenComparing(Leaf.BEST_FIRST))
                .forEach(leaf -> leaf.token().ifPresent(token -> withdrawn.putIfAbsent(token, leaf)));
        return new Precedence(leaves.stream()
                .map(leaf ->
                        leaf.token().map(withdrawn::get).map(leaf::withdrawnAs).orElse(leaf))
                .sorted(Leaf.BEST_FIRST)
                .toList());
    }

    List<Leaf> bestFirst() {
        return bestFirst;
    }

    /** Whether the job was run on another branch since this leaf parted from it, and not on this one. */
    boolean isOutweighed(Leaf leaf) {
        return leaf.isFresh() && standing.stream().anyMatch(other -> other.hasRun() && leaf.partedBeforeClaimOf(other));
    }
}
