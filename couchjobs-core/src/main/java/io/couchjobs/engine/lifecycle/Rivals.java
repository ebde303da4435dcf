package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import java.util.List;
import java.util.Optional;

/** The leaves that keep a confirmed claim from making an owner: a pure function of all leaves. Stateless. */
public final class Rivals {
    private Rivals() {}

    /**
     * Finds the leaves that contest a claim which a majority of the copies has confirmed: every live one, except other
     * claims of the same revision, none of which a majority can have confirmed, and claims that their claimers have taken back; and
     * tombstones of a removal or of retention whose fence is at least that of the job that was claimed.
     *
     * @param claim the job as the claim stored it
     * @param base the revision that was claimed
     * @param leaves all leaves of the document, with {@code _revisions}
     * @return those leaves; empty when the claim itself is not among the given leaves, which then prove nothing
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
     * Whether another claim or a removal has overtaken a claim, so that its end does not count.
     *
     * @param written the job as its owner has stored it
     * @param leaves all leaves of the document, with {@code _revisions}
     * @return true when one of them has a greater fence, be it live or the tombstone of a removal or of retention; but not for a leaf that
     *     shows no run and parted before the claim, which the end of that claim outweighs
     */
    public static boolean haveOvertaken(Job written, List<ObjectNode> leaves) {
        Precedence precedence = Precedence.ofAll(leaves);
        return precedence.bestFirst().stream()
                .anyMatch(leaf -> leaf.kind() != Leaf.Kind.MALFORMED
                        && leaf.fence() > written.fence()
                        && !precedence.mayBeOutweighed(leaf));
    }

    /**
     * Whether a tombstone may count more than a live leaf: that of a removal or of retention, which is as late as the leaf, or as the job that
     * its owner claimed. A tombstone of an earlier life of the job may stay a leaf for ever, when the job is added again on another one.
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
