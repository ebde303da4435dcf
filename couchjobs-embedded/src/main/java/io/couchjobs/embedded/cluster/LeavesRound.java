package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A read of all leaves on its way. All copies are asked, and what they have is put together. It is answered when enough copies have
 * answered, in one of two ways, or when no copy is left to wait for. Neither way asks that the copies agree.
 */
final class LeavesRound {
    /** The two ways in which CouchDB 3.5 reads leaves. */
    enum Way {
        /**
         * One document, by {@code open_revs=all}. Enough is a majority of which the last answer has as many leaves as all before it,
         * and adds no branch. Copies are given what they lack.
         */
        ONE,
        /**
         * One of those of {@code _bulk_get}. Enough is a majority that has told only what its first answer had told, not counting
         * answers that brought news. Nothing is repaired. CouchDB waits until this holds for each document of a request; here each
         * one ends alone.
         */
        OF_MANY
    }

    private final Shards shards;
    private final Member at;
    private final Way way;
    private final Consumer<List<Doc>> answer;
    private final Map<List<Revision>, Doc> found = new LinkedHashMap<>();
    private RevTree tree = RevTree.empty();
    private int replies;
    private int alike;
    private boolean differ;
    private int waiting;
    private boolean over;

    private LeavesRound(Shards shards, Member at, Way way, Consumer<List<Doc>> answer) {
        this.shards = shards;
        this.at = at;
        this.way = way;
        this.answer = answer;
    }

    /** The answer has the winner first, tombstones included; it is empty for an unknown document. */
    static void start(Shards shards, Member at, String id, Way way, Consumer<List<Doc>> answer) {
        new LeavesRound(shards, at, way, answer).send(id);
    }

    private void send(String id) {
        List<Copy> copies = shards.of(id);
        waiting = copies.size();
        at.perform(shards.timeout(), this::conclude);
        copies.forEach(copy ->
                shards.ask(at, copy, false, () -> leaves(copy.database(), id), this::replied, () -> noMore(false)));
    }

    /** {@return the leaves that a copy has, each with its content} */
    static List<Doc> leaves(Database database, String id) {
        return database.tree(id).leaves().stream()
                .map(Node::rev)
                .flatMap(leaf -> database.revision(id, leaf).stream())
                .toList();
    }

    private void replied(List<Doc> leaves) {
        RevTree before = tree;
        int paths = found.size();
        leaves.forEach(this::add);
        replies++;
        differ |= replies > 1 && !revs(tree).equals(revs(before));
        boolean isKnown = found.size() == paths;
        if (!leaves.isEmpty() && (paths == 0 || isKnown)) {
            alike++;
        }
        boolean isNoBranch = tree.leaves().size() <= before.leaves().size()
                && leaves.size() == before.leaves().size();
        noMore(way == Way.ONE ? isNoBranch && replies >= shards.majority() : alike >= shards.majority());
    }

    private void add(Doc leaf) {
        List<Revision> path = leaf.tree().path(leaf.rev());
        found.putIfAbsent(path, leaf);
        tree = tree.merge(path, leaf.node().deleted(), Node.NO_BODY);
    }

    private static Set<Revision> revs(RevTree tree) {
        Set<Revision> revs = new HashSet<>();
        tree.leaves().forEach(leaf -> revs.add(leaf.rev()));
        return revs;
    }

    private void noMore(boolean isEnough) {
        waiting--;
        if (waiting == 0 || isEnough) {
            conclude();
        }
    }

    private void conclude() {
        if (over) {
            return;
        }
        over = true;
        if (way == Way.ONE && differ) {
            repair();
        }
        answer.accept(tree.leaves().stream().map(leaf -> shown(leaf.rev())).toList());
    }

    /** Copies may know more or less of a leaf's history: the reader is shown the one that knows most. */
    private Doc shown(Revision leaf) {
        return found.values().stream()
                .filter(doc -> doc.rev().equals(leaf))
                .max(Comparator.comparing(doc -> doc.tree().path(leaf).size()))
                .orElseThrow();
    }

    /** The reader does not wait for it. */
    private void repair() {
        Set<Revision> leaves = revs(tree);
        List<Edit> edits = found.values().stream()
                .filter(doc -> leaves.contains(doc.rev()))
                .map(InternalReplication::edit)
                .toList();
        WriteRound.start(shards, at, new WriteRound.Write(edits, true, shards.majority()), ignored -> {});
    }
}
