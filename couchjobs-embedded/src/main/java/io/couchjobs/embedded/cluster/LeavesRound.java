package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A read of all leaves on its way ({@code open_revs=all}). All copies are asked. It is answered when a majority has the same
 * leaves, or, when no majority can agree, with all leaves of all copies.
 */
final class LeavesRound {
    private final Shards shards;
    private final Member at;
    private final Consumer<List<Doc>> answer;
    private final boolean repairs;
    private final List<List<Doc>> replies = new ArrayList<>();
    private int waiting;
    private boolean over;

    private LeavesRound(Shards shards, Member at, boolean repairs, Consumer<List<Doc>> answer) {
        this.shards = shards;
        this.at = at;
        this.repairs = repairs;
        this.answer = answer;
    }

    /**
     * The answer has the winner first, tombstones included; it is empty for an unknown document.
     *
     * @param repairs whether copies that lack a leaf are given it. CouchDB 3.5 does so for one document, and not for those of
     *     {@code _bulk_get}
     */
    static void start(Shards shards, Member at, String id, boolean repairs, Consumer<List<Doc>> answer) {
        new LeavesRound(shards, at, repairs, answer).send(id);
    }

    private void send(String id) {
        List<Copy> copies = shards.of(id);
        waiting = copies.size();
        at.perform(shards.timeout(), this::conclude);
        copies.forEach(
                copy -> shards.ask(at, copy, false, () -> leaves(copy.database(), id), this::replied, this::noMore));
    }

    /** {@return the leaves that a copy has, each with its content} */
    static List<Doc> leaves(Database database, String id) {
        return database.tree(id).leaves().stream()
                .map(Node::rev)
                .flatMap(leaf -> database.revision(id, leaf).stream())
                .toList();
    }

    private void replied(List<Doc> leaves) {
        replies.add(leaves);
        noMore();
    }

    private void noMore() {
        waiting--;
        if (waiting == 0 || isAgreed()) {
            conclude();
        }
    }

    private boolean isAgreed() {
        return replies.stream()
                .anyMatch(one -> replies.stream()
                                .filter(other -> revs(other).equals(revs(one)))
                                .count()
                        >= shards.majority());
    }

    private static Set<Revision> revs(Collection<Doc> docs) {
        Set<Revision> revs = new HashSet<>();
        docs.forEach(doc -> revs.add(doc.rev()));
        return revs;
    }

    private void conclude() {
        if (over) {
            return;
        }
        over = true;
        if (replies.size() > 1 && replies.stream().allMatch(reply -> revs(reply).equals(revs(replies.get(0))))) {
            answer.accept(replies.get(0));
            return;
        }
        Map<Revision, Doc> found = new LinkedHashMap<>();
        RevTree tree = RevTree.empty();
        for (List<Doc> reply : replies) {
            for (Doc doc : reply) {
                found.putIfAbsent(doc.rev(), doc);
                tree = tree.merge(doc.tree().path(doc.rev()), doc.node().deleted(), Node.NO_BODY);
            }
        }
        List<Doc> leaves = tree.leaves().stream()
                .flatMap(leaf -> found.values().stream().filter(doc -> doc.rev().equals(leaf.rev())))
                .toList();
        repair(leaves);
        answer.accept(leaves);
    }

    /** The reader does not wait for it. */
    private void repair(List<Doc> leaves) {
        if (repairs && replies.stream().anyMatch(reply -> !revs(reply).equals(revs(leaves)))) {
            List<Edit> edits = leaves.stream().map(InternalReplication::edit).toList();
            WriteRound.start(shards, at, new WriteRound.Write(edits, true, shards.majority()), ignored -> {});
        }
    }
}
