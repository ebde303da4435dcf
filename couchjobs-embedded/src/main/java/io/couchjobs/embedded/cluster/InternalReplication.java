package io.couchjobs.embedded.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.store.Change;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Sends a copy's changes to another copy of its range: all leaves, including tombstones, with their ancestors. Runs some time
 * after each change, and when the nodes are connected again. In the end, the copies are equal.
 */
final class InternalReplication {
    private final Shards shards;
    private final Delays delays;
    private final Copy source;
    private final Copy target;
    private long offered;
    private boolean planned;
    private boolean busy;

    InternalReplication(Shards shards, Delays delays, Copy source, Copy target) {
        this.shards = shards;
        this.delays = delays;
        this.source = source;
        this.target = target;
    }

    boolean joins(Link link) {
        return link.joins(source.member()) && link.joins(target.member());
    }

    /** Plans an offer after a change. An offer covers all changes before it is made. */
    void changed() {
        if (!planned) {
            planned = true;
            source.member().perform(delays.sync(source.member().number()), () -> {
                planned = false;
                offer();
            });
        }
    }

    /** Offers the changes after the nodes are connected again. A stopped node has lost its plans. */
    void met() {
        planned = false;
        busy = false;
        source.member().perform(0, this::offer);
    }

    private void offer() {
        Database from = source.database();
        if (busy || from.updateSeq() <= offered || !shards.peers(source).contains(target)) {
            return;
        }
        List<Edit> leaves = new ArrayList<>();
        long reached = offered;
        Iterator<Change> changes = from.changes(offered);
        for (int i = 0; i < delays.batch() && changes.hasNext(); i++) {
            Change change = changes.next();
            LeavesRound.leaves(from, change.id()).forEach(leaf -> leaves.add(whole(from, leaf)));
            reached = change.seq();
        }
        send(leaves, reached);
    }

    private void send(List<Edit> leaves, long reached) {
        busy = true;
        shards.ask(
                source.member(),
                target,
                true,
                () -> target.receive(leaves),
                theirs -> taken(reached, theirs),
                () -> busy = false);
    }

    private void taken(long reached, long theirs) {
        busy = false;
        offered = reached;
        source.offered(target.member().number(), theirs, reached);
        long pause = delays.nextBatch(source.member().number());
        if (pause == 0) {
            offer();
        } else {
            source.member().perform(pause, this::offer);
        }
    }

    /** Returns a leaf with its attachments, which the other copy may not have. */
    private static Edit whole(Database from, Doc leaf) {
        ObjectNode body = leaf.body().deepCopy();
        from.attachments().present(body, true);
        return new Edit(leaf.id(), leaf.tree().path(leaf.rev()), leaf.node().deleted(), body);
    }

    /** {@return a revision as sent to a copy that has the attachments} */
    static Edit edit(Doc doc) {
        return new Edit(doc.id(), doc.tree().path(doc.rev()), doc.node().deleted(), doc.body());
    }
}
