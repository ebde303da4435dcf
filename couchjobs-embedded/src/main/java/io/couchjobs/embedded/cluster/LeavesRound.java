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
 * A read of all leaves of a document. All copies are asked, and their leaves are merged. The answer is sent when enough copies
 * have replied, or when no further replies are expected. The copies need not agree.
 */
final class LeavesRound {
    /** The two ways in which CouchDB 3.5 decides that enough copies have replied. */
    enum Way {
        /**
         * One document, by {@code open_revs=all}. Enough is a majority whose last reply has as many leaves as the merged earlier
         * replies, and adds no branch. Missing leaves are sent to the copies.
         */
        ONE,
        /**
         * One of the documents of {@code _bulk_get}. Enough is a majority of replies: the first reply with leaves, and later
         * replies that add no path. Copies are not repaired. CouchDB waits until all documents of a request have enough replies;
         * here, each document ends separately.
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

    /** Starts a read. The answer has all leaves, including tombstones, the winner first. It is empty for an unknown document. */
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

    /** {@return the leaves in a copy, each with its content} */
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

    /** Returns a leaf from the copy that has the longest history of the leaf. */
    private Doc shown(Revision leaf) {
        return found.values().stream()
                .filter(doc -> doc.rev().equals(leaf))
                .max(Comparator.comparing(doc -> doc.tree().path(leaf).size()))
                .orElseThrow();
    }

    /** Sends the merged leaves to all copies. The reader does not wait for this write. */
    private void repair() {
        Set<Revision> leaves = revs(tree);
        List<Edit> edits = found.values().stream()
                .filter(doc -> leaves.contains(doc.rev()))
                .map(InternalReplication::edit)
                .toList();
        WriteRound.start(shards, at, new WriteRound.Write(edits, true, shards.majority()), ignored -> {});
    }
}
