package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.WriteBack;
import io.couchjobs.engine.store.Copies;
import io.couchjobs.trigger.SourceChange;
import io.couchjobs.trigger.Trigger;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Turns rows of a database's feed, and owed changes, into changes with their documents. Thread-safe. */
final class SourceReader {
    private final Trigger trigger;
    private final CouchDatabase database;
    private final Copies copies;

    SourceReader(Trigger trigger, CouchDatabase database) {
        this.trigger = trigger;
        this.database = database;
        this.copies = new Copies(database);
    }

    /** Narrows a request to the changes that the trigger selects, and to the parts of them that it needs. */
    ChangesRequest request(ChangesRequest all) {
        ChangesRequest request = all.includeDocs(trigger.needsDocuments()).styleAllDocs(takesLeaves());
        return trigger.selector().map(request::selector).orElse(request);
    }

    /**
     * Returns whether the trigger takes the winner of a row, or may take another leaf.
     *
     * @param round the time of the trigger's last replay, in ms; 0 if there was none
     */
    boolean concerns(Change change, long round) {
        SourceChange winner = winner(change);
        return inRound(trigger, winner, round).leftOut(winner).isEmpty()
                || (takesLeaves() && !change.revs().equals(List.of(shown(change))));
    }

    /**
     * Returns the trigger as it applies to a change. An end that the trigger wrote before its last replay counts as any other
     * change.
     *
     * @param round the time of the trigger's last replay, in ms; 0 if there was none
     */
    static Trigger inRound(Trigger trigger, SourceChange change, long round) {
        boolean isOfBefore = trigger.writeBack()
                .flatMap(place -> change.read()
                        .filter(read -> WriteBack.isOwn(read, place, trigger.name(), 0)
                                && !WriteBack.isOwn(read, place, trigger.name(), round)))
                .isPresent();
        return isOfBefore ? Trigger.parse(trigger.toDocument().without("writeBack")) : trigger;
    }

    /**
     * Returns the revision of the document in a row. A selector chooses among the leaves, but the row always has the document of
     * the winner.
     */
    private static String shown(Change change) {
        return change.doc() == null
                ? change.revs().get(0)
                : change.doc().path("_rev").asText();
    }

    /**
     * Returns whether the trigger takes each leaf of a conflict, because each leaf was saved by a user. Otherwise only the winner
     * counts.
     */
    private boolean takesLeaves() {
        return trigger.delivery() == Trigger.Delivery.EVERY || trigger.outbox().isPresent();
    }

    /** Returns the change of the first revision in a row. */
    static SourceChange change(String database, Change row) {
        return new SourceChange(database, row.id(), row.revs().get(0), row.seq(), row.deleted(), row.doc());
    }

    private SourceChange winner(Change change) {
        String rev = Optional.ofNullable(change.doc())
                .map(this::savedRev)
                .orElse(change.revs().get(0));
        return new SourceChange(database.name(), change.id(), rev, change.seq(), change.deleted(), change.doc());
    }

    /**
     * Returns the revision that a user saved. If the trigger itself wrote the document, the row stands for the user's change before
     * that write.
     */
    private String savedRev(ObjectNode document) {
        return trigger.writeBack()
                .map(place -> WriteBack.savedRev(document, place))
                .orElse(document.path("_rev").asText());
    }

    /** Returns the changes that a row stands for, the winner first if it is one of them. */
    List<SourceChange> all(Change change) {
        SourceChange winner = winner(change);
        if (!takesLeaves()) {
            return List.of(winner);
        }
        List<SourceChange> leaves = new ArrayList<>();
        for (String rev : change.revs()) {
            if (rev.equals(shown(change))) {
                leaves.add(winner);
            } else {
                leaf(change.id(), rev).ifPresent(leaf -> leaves.add(read(winner, leaf)));
            }
        }
        return leaves;
    }

    /**
     * Reads a leaf that the feed shows; empty when it has a newer revision by now, which makes its own row. The feed of a cluster
     * may show a leaf that only one copy has, and the read may ask other copies.
     *
     * @throws CouchUnreachableException when the copies that were asked do not have the leaf; the caller must read the row again
     */
    private Optional<ObjectNode> leaf(String docId, String rev) {
        Optional<ObjectNode> leaf = database.get(docId, rev);
        if (leaf.isEmpty() && !wasWrittenOn(docId, rev)) {
            throw unknown(
                    "/" + database.name() + "/" + docId,
                    "the feed shows revision " + rev + ", and the copies that were asked do not have it yet");
        }
        return leaf;
    }

    private boolean wasWrittenOn(String docId, String rev) {
        return database.leaves(docId).stream()
                .map(leaf -> leaf.path("_rev").asText())
                .filter(leaf -> !leaf.equals(rev)) // the leaf itself may have reached another copy meanwhile
                .anyMatch(leaf -> database.history(docId, leaf).contains(rev));
    }

    /**
     * Returns whether the change's revision is the document's current revision, perhaps again because the winner of a conflict was
     * deleted.
     */
    boolean isCurrent(SourceChange change) {
        return newest(List.of(change))
                .get(0)
                .filter(document -> savedRev(document).equals(change.rev()))
                .isPresent();
    }

    /**
     * Reads the documents of changes in their present state, or, with {@link Trigger.Delivery#EVERY}, in the revisions of the
     * changes.
     *
     * @return the changes in their order. A change is empty when its document was deleted since, because the deletion is a separate
     *     change. With a selector, a change is also empty when its document has a newer revision, because the feed brings that
     *     revision if it is selected. A newer revision that the trigger's own job wrote is an exception, because the feed makes no
     *     job from it. With {@link Trigger.Delivery#EVERY}, a change is empty when the server no longer has its revision
     */
    List<Optional<SourceChange>> again(List<SourceChange> changes) {
        if (isOfRevisions()) {
            return changes.stream().map(this::exactly).toList();
        }
        List<Optional<ObjectNode>> found = newest(changes);
        List<Optional<SourceChange>> all = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            all.add(newest(changes.get(i), found.get(i)));
        }
        return all;
    }

    /** Reads the documents from all copies, because the feed of a cluster may have shown a revision that only one copy has. */
    private List<Optional<ObjectNode>> newest(List<SourceChange> changes) {
        List<String> ids = changes.stream().map(SourceChange::id).toList();
        return copies.areSeveral()
                ? leavesOfAll(ids).stream().map(SourceReader::winner).toList()
                : database.getAll(ids);
    }

    /** Reads the leaves of documents from all copies, without their revision histories. */
    private List<List<ObjectNode>> leavesOfAll(List<String> ids) {
        List<List<ObjectNode>> all = database.leavesOfAll(ids, copies.number()).stream()
                .map(leaves -> leaves.orElseThrow(() ->
                        unknown("/" + database.name() + "/_bulk_get", "a document cannot be read at this moment")))
                .toList();
        all.forEach(leaves -> leaves.forEach(leaf -> leaf.remove("_revisions")));
        return all;
    }

    private static Optional<ObjectNode> winner(List<ObjectNode> leaves) {
        return leaves.stream()
                .filter(leaf -> !leaf.path("_deleted").asBoolean())
                .max(Comparator.comparing(leaf -> leaf.path("_rev").asText(), Rev.ORDER));
    }

    private Optional<SourceChange> newest(SourceChange change, Optional<ObjectNode> found) {
        return found.isEmpty()
                ? Optional.of(change).filter(SourceChange::deleted).map(this::withTombstone)
                : found.map(document -> read(change, document))
                        .map(newer -> losingLeaf(change, newer).orElse(newer))
                        .filter(newer -> !isLeftToFeed(change, newer));
    }

    /** Returns a deletion with its tombstone, if the trigger needs the tombstone and the server still has it. */
    private SourceChange withTombstone(SourceChange deletion) {
        return trigger.needsDocuments() ? exactly(deletion).orElse(deletion) : deletion;
    }

    /** Returns the leaf of an outbox change if another leaf is the winner, because each leaf has its own entries. */
    private Optional<SourceChange> losingLeaf(SourceChange change, SourceChange winner) {
        if (trigger.outbox().isEmpty() || winner.rev().equals(change.rev())) {
            return Optional.empty();
        }
        List<ObjectNode> leaves =
                copies.areSeveral() ? leavesOfAll(List.of(change.id())).get(0) : database.leaves(change.id());
        return leaves.stream()
                .map(leaf -> read(change, leaf))
                .filter(leaf -> leaf.rev().equals(change.rev()))
                .findAny();
    }

    /**
     * Returns whether a newer revision is left to its own row in the feed. Never true for an outbox, whose entries tell which jobs
     * are made.
     */
    private boolean isLeftToFeed(SourceChange change, SourceChange newer) {
        return trigger.outbox().isEmpty()
                && Rev.ORDER.compare(newer.rev(), change.rev()) > 0
                && trigger.selector()
                        .filter(selector ->
                                trigger.leftOut(newer).isEmpty() || !selects(database, change.id(), selector))
                        .isPresent();
    }

    /** Returns whether a selector selects a document. A server without Mango queries searches its changes feed. */
    static boolean selects(CouchDatabase source, String docId, ObjectNode selector) {
        try {
            return source.matches(docId, selector);
        } catch (CouchException trouble) {
            if (!OlderServers.doNotKnow(trouble)) {
                throw trouble;
            }
            return isFound(source, docId, selector);
        }
    }

    private static boolean isFound(CouchDatabase source, String docId, ObjectNode selector) {
        ObjectNode both = selector.objectNode();
        both.putArray("$and").add(selector.objectNode().put(Field.ID, docId)).add(selector);
        Duration longest = source.server().config().responseTimeout();
        try (ChangesFeed feed = source.changes(ChangesRequest.normal().selector(both))) {
            boolean isFound = feed.next(longest).isPresent();
            if (!isFound && !feed.isEnded()) {
                throw unknown(
                        "/" + source.name() + "/_changes",
                        "the search for " + docId + " by the selector did not end within " + longest.toMillis()
                                + " ms; an index, or a longer response timeout, makes it possible");
            }
            return isFound;
        }
    }

    private static CouchException unknown(String path, String reason) {
        return CouchUnreachableException.of(
                new CouchException.Failure.Request("GET", path, null, null), false, reason, new IOException(reason));
    }

    /**
     * Returns the failure of a change that {@link #again} left empty. A revision that the server no longer has fails; a deleted
     * document does not.
     */
    Optional<Step.Failure> lost(SourceChange change) {
        return isOfRevisions()
                ? Optional.of(new Step.Failure(change, "the database has forgotten this revision", false))
                : Optional.empty();
    }

    private boolean isOfRevisions() {
        return trigger.delivery() == Trigger.Delivery.EVERY;
    }

    /**
     * Returns a key that is equal for changes of which only the last one counts. If the trigger takes leaves, each leaf has its own
     * key.
     */
    String key(SourceChange change) {
        return takesLeaves() ? change.id() + " " + change.rev() : change.id();
    }

    private Optional<SourceChange> exactly(SourceChange change) {
        return database.get(change.id(), change.rev())
                .or(() -> copies.areSeveral() ? anywhere(change) : Optional.empty())
                .map(document -> read(change, document));
    }

    private Optional<ObjectNode> anywhere(SourceChange change) {
        return leavesOfAll(List.of(change.id())).get(0).stream()
                .filter(leaf -> leaf.path("_rev").asText().equals(change.rev()))
                .findAny();
    }

    private SourceChange read(SourceChange change, ObjectNode document) {
        return new SourceChange(
                change.database(),
                change.id(),
                savedRev(document),
                change.seq(),
                document.path("_deleted").asBoolean(),
                document);
    }
}
