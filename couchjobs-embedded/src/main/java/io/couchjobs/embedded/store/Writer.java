package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Adds an edit to the tree of its document, or refuses it. Used under the database's lock. */
final class Writer {
    private final Bodies bodies;
    private final Attachments attachments;
    private final Gate gate;
    private final BooleanSupplier looksFirst;

    /** @param looksFirst whether an edit that names a revision conflicts when the document does not exist */
    Writer(Bodies bodies, Attachments attachments, Gate gate, BooleanSupplier looksFirst) {
        this.bodies = bodies;
        this.attachments = attachments;
        this.gate = gate;
        this.looksFirst = looksFirst;
    }

    /** The tree after an edit, the revision of the edit, and whether the edit changed anything. */
    record Grown(RevTree tree, Revision rev, boolean changed) {}

    /**
     * Adds a client's edit. It must name a leaf, or no revision if there is no live document. If the document does not exist, the
     * edit may name any revision, unless CouchDB would read the document first.
     */
    Grown interactive(Edit edit, DocRecord known) {
        RevTree tree = known.tree();
        Revision parent = parent(edit, tree);
        Doc before = parent == null ? null : read(edit, known, parent);
        attachments.intake(edit.id(), edit.body(), body(before), parent == null ? 1 : parent.pos() + 1);
        byte[] bytes = Json.bytes(edit.body());
        Revision rev = Hashes.next(parent, edit.deleted(), bytes);
        gate.check(edit, edit.rev() == null ? null : before);
        long body = bodies.add(bytes);
        RevTree grown = tree.isEmpty() && parent != null
                ? tree.merge(List.of(rev, parent), edit.deleted(), body)
                : tree.with(new Node(rev, parent, edit.deleted(), body));
        return new Grown(grown, rev, true);
    }

    /**
     * Adds a replicated edit: its revision with its ancestors, in addition to the existing leaves. For a known revision, adds
     * only the ancestors; like CouchDB, skips even these where the current document is read first.
     */
    Grown replicated(Edit edit, DocRecord known) {
        RevTree tree = known.tree();
        Revision rev = edit.history().get(0);
        if (tree.find(rev).isPresent()) {
            RevTree grown = looksAtPresent(edit) ? tree : tree.merge(edit.history(), edit.deleted(), Node.NO_BODY);
            return new Grown(grown, rev, !grown.equals(tree));
        }
        Doc before = ancestor(edit, known);
        attachments.intake(edit.id(), edit.body(), body(before), 0);
        gate.check(edit, before);
        byte[] bytes = Json.bytes(edit.body());
        return new Grown(tree.merge(edit.history(), edit.deleted(), bodies.add(bytes)), rev, true);
    }

    private boolean looksAtPresent(Edit edit) {
        return edit.id().startsWith("_design/") || edit.body().has(Attachments.MEMBER) || looksFirst.getAsBoolean();
    }

    /**
     * Throws an error when a client's edit has a stub for an attachment that its base does not have. Conflicting edits are not
     * checked, because the write reports the conflict.
     */
    void requireStubs(Edit edit, DocRecord known) {
        if (known.tree().isEmpty() || isAllowed(edit, known.tree())) {
            Attachments.requireStubs(edit.id(), edit.body(), body(ancestor(edit, known)));
        }
    }

    private boolean isAllowed(Edit edit, RevTree tree) {
        try {
            Revision unused = parent(edit, tree);
            return true;
        } catch (CouchError conflict) {
            return false;
        }
    }

    /** Checks a replicated edit like {@link #requireStubs}. A known revision is not checked. */
    void requireReplicatedStubs(Edit edit, DocRecord known) {
        if (known.tree().find(edit.history().get(0)).isEmpty()) {
            Attachments.requireStubs(edit.id(), edit.body(), body(ancestor(edit, known)));
        }
    }

    /** {@return the newest revision with stored content among the edit's history and its ancestors; null for none} */
    private @Nullable Doc ancestor(Edit edit, DocRecord known) {
        RevTree tree = known.tree();
        return edit.history().stream().filter(older -> tree.find(older).isPresent()).findFirst().stream()
                .flatMap(older -> tree.path(older).stream())
                .map(older -> read(edit, known, older))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static @Nullable ObjectNode body(@Nullable Doc doc) {
        return doc == null ? null : doc.body();
    }

    /** Returns the base of an edit. An edit without a revision recreates a deleted document on top of its tombstone. */
    private @Nullable Revision parent(Edit edit, RevTree tree) {
        Revision named = edit.rev();
        if (tree.isEmpty()) {
            if (named != null && (edit.body().has(Attachments.MEMBER) || looksFirst.getAsBoolean())) {
                throw CouchError.conflict();
            }
            return named;
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

    private @Nullable Doc read(Edit edit, DocRecord known, Revision rev) {
        return known.tree()
                .find(rev)
                .flatMap(node ->
                        bodies.read(node).map(body -> new Doc(edit.id(), known.seq(), known.tree(), node, body)))
                .orElse(null);
    }
}
