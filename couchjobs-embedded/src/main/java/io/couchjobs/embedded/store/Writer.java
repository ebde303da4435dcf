package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import org.jspecify.annotations.Nullable;

/** Puts one edit into its document's tree, or refuses it. Used under the database's lock. */
final class Writer {
    private final Bodies bodies;
    private final Attachments attachments;
    private final Gate gate;

    Writer(Bodies bodies, Attachments attachments, Gate gate) {
        this.bodies = bodies;
        this.attachments = attachments;
        this.gate = gate;
    }

    /** The tree after an edit, the revision that the edit became, and whether it was news. */
    record Grown(RevTree tree, Revision rev, boolean changed) {}

    /** A client's write: it must name a leaf, or nothing when there is no live document. */
    Grown interactive(Edit edit, DocRecord known) {
        RevTree tree = known.tree();
        Revision parent = parent(edit, tree);
        ObjectNode before = parent == null ? null : body(tree, parent);
        attachments.intake(edit.id(), edit.body(), before, parent == null ? 1 : parent.pos() + 1);
        byte[] bytes = Json.bytes(edit.body());
        Revision rev = Hashes.next(parent, edit.deleted(), bytes);
        check(edit, known, new Node(rev, parent, edit.deleted(), Node.NO_BODY), before);
        return new Grown(tree.with(new Node(rev, parent, edit.deleted(), bodies.add(bytes))), rev, true);
    }

    /** A replicated write: its revision is taken over with its ancestors, beside whatever is there. */
    Grown replicated(Edit edit, DocRecord known) {
        RevTree tree = known.tree();
        Revision rev = edit.history().get(0);
        if (tree.find(rev).isPresent()) {
            return new Grown(tree, rev, false);
        }
        ObjectNode before = ancestor(edit, tree);
        attachments.intake(edit.id(), edit.body(), before, 0);
        byte[] bytes = Json.bytes(edit.body());
        check(edit, known, new Node(rev, null, edit.deleted(), Node.NO_BODY), before);
        return new Grown(tree.merge(edit.history(), edit.deleted(), bodies.add(bytes)), rev, true);
    }

    /**
     * Fails when a client's write has a stub for an attachment that its base does not have. A conflict is left to the write
     * itself.
     */
    void requireStubs(Edit edit, DocRecord known) {
        if (known.tree().isEmpty() || isAllowed(edit, known.tree())) {
            Attachments.requireStubs(edit.id(), edit.body(), ancestor(edit, known.tree()));
        }
    }

    private static boolean isAllowed(Edit edit, RevTree tree) {
        try {
            Revision unused = parent(edit, tree);
            return true;
        } catch (CouchError conflict) {
            return false;
        }
    }

    /** As {@link #requireStubs}, for a replicated write. One that is here already is not looked at. */
    void requireReplicatedStubs(Edit edit, DocRecord known) {
        if (known.tree().find(edit.history().get(0)).isEmpty()) {
            Attachments.requireStubs(edit.id(), edit.body(), ancestor(edit, known.tree()));
        }
    }

    /** {@return the content of the newest revision that is here of those an edit names} */
    private @Nullable ObjectNode ancestor(Edit edit, RevTree tree) {
        return edit.history().stream()
                .flatMap(older -> tree.find(older).stream())
                .findFirst()
                .flatMap(bodies::read)
                .orElse(null);
    }

    /** A deleted document is made again by a write that names no revision, over its tombstone. */
    private static @Nullable Revision parent(Edit edit, RevTree tree) {
        Revision named = edit.rev();
        if (tree.isEmpty() && named == null) {
            return null;
        }
        if (tree.isEmpty()) {
            throw CouchError.conflict();
        }
        boolean gone = tree.winner().deleted();
        if (named != null && !gone) {
            return tree.leaf(named).orElseThrow(CouchError::conflict).rev();
        }
        if (named != null || !gone || edit.deleted()) {
            throw CouchError.conflict();
        }
        return tree.winner().rev();
    }

    private @Nullable ObjectNode body(RevTree tree, Revision rev) {
        return tree.find(rev).flatMap(bodies::read).orElse(null);
    }

    private void check(Edit edit, DocRecord known, Node node, @Nullable ObjectNode before) {
        Doc newDoc = new Doc(edit.id(), known.seq(), known.tree(), node, edit.body());
        gate.check(newDoc, before == null ? null : old(edit.id(), known.tree(), node, before));
    }

    private static @Nullable ObjectNode old(String id, RevTree tree, Node node, ObjectNode body) {
        return tree.find(node.parent() == null ? tree.winner().rev() : node.parent())
                .filter(parent -> !parent.deleted())
                .map(parent -> new Doc(id, 0, tree, parent, body).json())
                .orElse(null);
    }
}
