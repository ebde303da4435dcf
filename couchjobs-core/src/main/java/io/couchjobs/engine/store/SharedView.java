package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The leaves of a shared document that count, best first. Immutable and thread-safe. */
public record SharedView(String docId, List<SharedLeaf> leaves, boolean severalCopies) {
    Set<String> revs() {
        return leaves.stream().map(SharedLeaf::rev).collect(Collectors.toSet());
    }

    /**
     * Returns whether the writer of a leaf may be about to take it back: several leaves were not taken back, or one such leaf
     * is not the best.
     */
    boolean isDoubtful() {
        long standing = leaves.stream().filter(leaf -> !leaf.isWithdrawn()).count();
        return standing > 1 || (standing == 1 && leaves.get(0).isWithdrawn());
    }

    /** Returns the leaves that were not taken back, best first; if there are none, the best leaf. */
    public List<ObjectNode> standing() {
        List<ObjectNode> standing = leaves.stream()
                .filter(leaf -> !leaf.isWithdrawn() && !leaf.isDeleted())
                .map(SharedLeaf::plain)
                .toList();
        return standing.isEmpty() ? document().stream().toList() : standing;
    }

    Optional<ObjectNode> document() {
        return best().filter(leaf -> !leaf.isDeleted()).map(SharedLeaf::plain);
    }

    Optional<SharedLeaf> best() {
        return leaves.stream().findFirst();
    }

    ObjectNode present() {
        return document().orElseGet(() -> JsonNodeFactory.instance.objectNode().put("_id", docId));
    }

    /** Returns the revision on which a change is based; empty when there is none. */
    String baseRev() {
        return base() == null ? "" : base().rev();
    }

    /** Returns the best leaf that is not deleted; null when there is none. */
    @Nullable
    SharedLeaf base() {
        return leaves.stream().filter(leaf -> !leaf.isDeleted()).findFirst().orElse(null);
    }

    public ObjectNode next(ObjectNode wanted) {
        SharedLeaf base = base();
        SharedLeaf best = best().orElse(null);
        if (best == null) {
            return wanted.deepCopy();
        }
        ObjectNode next = base == null ? best.followed(wanted) : base.changedAfter(best, wanted);
        return severalCopies && next.path("_deleted").asBoolean() ? SharedLeaf.removal(next) : next;
    }

    ObjectNode instead(String own) {
        SharedLeaf base = base();
        return base == null ? SharedLeaf.lost(docId, own, "its writer") : base.instead(own);
    }

    boolean knows(SharedLeaf leaf) {
        return revs().contains(leaf.rev());
    }

    Optional<SharedLeaf> descendantOf(String rev) {
        return leaves.stream().filter(leaf -> leaf.descendsFrom(rev)).findFirst();
    }
}
