package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import java.util.List;
import java.util.Optional;

/** Finds the leaves that keep a confirmed claim from making an owner: a pure function of all leaves. Stateless. */
public final class Rivals {
    private Rivals() {}

    /**
     * Finds the leaves that contest a claim which a majority of the copies has confirmed. Each live leaf contests the
     * claim, with two exceptions. Other claims of the same revision do not, because no majority can have confirmed them.
     * Claims that their claimers have withdrawn do not either. A tombstone of a removal or of retention contests the claim
     * if its fence is at least that of the job that was claimed.
     *
     * @param claim the job as the claim stored it
     * @param base the revision that was claimed
     * @param leaves all leaves of the document, with {@code _revisions}
     * @return the contesting leaves; empty when the claim itself is not among the given leaves, which then prove nothing
     */
    public static Optional<List<ObjectNode>> of(Job claim, String base, List<ObjectNode> leaves) {
        String token = claim.lock().orElseThrow().token();
        List<ObjectNode> others = leaves.stream()
                .filter(leaf ->
                        !leaf.path(Field.LOCK).path(Field.TOKEN).asText().equals(token))
                .toList();
        if (others.size() == leaves.size()) {
            return Optional.empty();
        }
        return Optional.of(others.stream()
                .filter(other -> contests(Leaf.of(other), claim, base))
                .toList());
    }

    /**
     * Returns whether another claim or a removal has overtaken a claim, so that the end of the claim does not count.
     *
     * @param written the job as its owner has stored it
     * @param leaves all leaves of the document, with {@code _revisions}
     * @return true when a live leaf, or the tombstone of a removal or of retention, has a greater fence. A leaf that shows no
     *     run and parted before the claim is ignored, because the end of the claim outweighs it
     */
    public static boolean haveOvertaken(Job written, List<ObjectNode> leaves) {
        Precedence precedence = Precedence.ofAll(leaves);
        return precedence.bestFirst().stream()
                .anyMatch(leaf -> leaf.kind() != Leaf.Kind.MALFORMED
                        && leaf.fence() > written.fence()
                        && !precedence.mayBeOutweighed(leaf));
    }

    /**
     * Returns whether a tombstone may count more than a live leaf. This is so for a removal or a deletion by retention
     * whose fence is at least that of the leaf, or of the job that the leaf's owner claimed. The tombstone of an earlier
     * life of the job may remain a leaf for ever, when the job is added again on another leaf.
     *
     * @param tombstone a deleted leaf of the same document
     */
    public static boolean mayBeGone(ObjectNode live, ObjectNode tombstone) {
        Leaf leaf = Leaf.of(live);
        Leaf gone = Leaf.of(tombstone);
        long claimed = leaf.kind() == Leaf.Kind.OWNED ? leaf.storedFence() - 1 : leaf.storedFence();
        return !gone.isResolved() && gone.storedFence() >= claimed;
    }

    private static boolean contests(Leaf leaf, Job claim, String base) {
        if (leaf.isLive()) {
            return leaf.storedFence() != claim.fence() || !leaf.isClaimOf(base);
        }
        return !leaf.isResolved() && leaf.storedFence() >= claim.fence() - 1;
    }
}
