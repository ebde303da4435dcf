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

/** Turns rows of a database's feed, and changes that waited, into changes with their documents. Thread-safe. */
final class SourceReader {
    private final Trigger trigger;
    private final CouchDatabase database;
    private final Copies copies;

    SourceReader(Trigger trigger, CouchDatabase database) {
        this.trigger = trigger;
        this.database = database;
        this.copies = new Copies(database);
    }

    /** The request for the changes that matter, with as much of them as the trigger needs. */
    ChangesRequest request(ChangesRequest all) {
        ChangesRequest request = all.includeDocs(trigger.needsDocuments()).styleAllDocs(takesLeaves());
        return trigger.selector().map(request::selector).orElse(request);
    }

    /**
     * Whether the trigger takes the winner of a row, or may take another leaf.
     *
     * @param round when the trigger was last sent back, in ms; 0 if never
     */
    boolean concerns(Change change, long round) {
        SourceChange winner = winner(change);
        return inRound(trigger, winner, round).leftOut(winner).isEmpty()
                || (takesLeaves() && !change.revs().equals(List.of(shown(change))));
    }

    /**
     * A trigger as it judges a change. An end that it wrote before it was sent back is a change like any other.
     *
     * @param round when the trigger was last sent back, in ms; 0 if never
     */
    static Trigger inRound(Trigger trigger, SourceChange change, long round) {
        boolean isOfBefore = trigger.writeBack()
                .flatMap(place -> change.read()
                        .filter(read -> WriteBack.isOwn(read, place, trigger.name(), 0)
                                && !WriteBack.isOwn(read, place, trigger.name(), round)))
                .isPresent();
        return isOfBefore ? Trigger.parse(trigger.toDocument().without("writeBack")) : trigger;
    }

    /** The leaf whose document a row has. A selector chooses among the leaves, but the row always has the document of the winner. */
    private static String shown(Change change) {
        return change.doc() == null
                ? change.revs().get(0)
                : change.doc().path("_rev").asText();
    }

    /** Each leaf was somebody's save; the newest state is that of the winner. */
    private boolean takesLeaves() {
        return trigger.delivery() == Trigger.Delivery.EVERY || trigger.outbox().isPresent();
    }

    /** A row of a feed as a change of its first revision. */
    static SourceChange change(String database, Change row) {
        return new SourceChange(database, row.id(), row.revs().get(0), row.seq(), row.deleted(), row.doc());
    }

    private SourceChange winner(Change change) {
        String rev = Optional.ofNullable(change.doc())
                .map(this::savedRev)
                .orElse(change.revs().get(0));
        return new SourceChange(database.name(), change.id(), rev, change.seq(), change.deleted(), change.doc());
    }

    /** The revision that a user saved. A write of the trigger itself is no change: its row stands for the change before it. */
    private String savedRev(ObjectNode document) {
        return trigger.writeBack()
                .map(place -> WriteBack.savedRev(document, place))
                .orElse(document.path("_rev").asText());
    }

    /** The changes that a row stands for, the winner first if it is one of them. */
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
     * A leaf that the feed shows; empty when somebody has written on it since, which makes a row of its own. The feed of a cluster may show a
     * leaf that only one copy has, and a reading may ask two others.
     *
     * @throws CouchUnreachableException when the copies that were asked do not have it: the row is to be read again
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
                .filter(leaf -> !leaf.equals(rev)) // it may have come to another copy meanwhile
                .anyMatch(leaf -> database.history(docId, leaf).contains(rev));
    }

    /** Whether the document of a change still has that revision, or has it again because the winner of a conflict was deleted. */
    boolean isCurrent(SourceChange change) {
        return newest(List.of(change))
                .get(0)
                .filter(document -> savedRev(document).equals(change.rev()))
                .isPresent();
    }

    /**
     * Reads the documents of changes as they are now. Where each revision counts, it reads that revision.
     *
     * @return the changes in their order. A change is empty when its document was deleted since, because the deletion is a change
     *     of its own. With a selector, it is also empty when its document has a newer revision, because the feed brings that
     *     revision if it is selected. A newer revision that the trigger's own job wrote is an exception, because the feed makes no
     *     job of it. Where each revision counts, a change is empty when the server has forgotten its revision
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

    /** The documents as all copies know them: the feed of a cluster may have shown what only one of them has. */
    private List<Optional<ObjectNode>> newest(List<SourceChange> changes) {
        List<String> ids = changes.stream().map(SourceChange::id).toList();
        return copies.areSeveral()
                ? leavesOfAll(ids).stream().map(SourceReader::winner).toList()
                : database.getAll(ids);
    }

    /** The leaves of documents as all copies know them, without their histories. */
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

    /** A deletion with its tombstone, unless the server has forgotten the tombstone. */
    private SourceChange withTombstone(SourceChange deletion) {
        return trigger.needsDocuments() ? exactly(deletion).orElse(deletion) : deletion;
    }

    /** The leaf of a change of an outbox that is not the winner: it has entries of its own. */
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

    /** Whether a newer revision waits for its row in the feed. A document of an outbox does not: its entries tell which jobs are made. */
    private boolean isLeftToFeed(SourceChange change, SourceChange newer) {
        return trigger.outbox().isEmpty()
                && Rev.ORDER.compare(newer.rev(), change.rev()) > 0
                && trigger.selector()
                        .filter(selector ->
                                trigger.leftOut(newer).isEmpty() || !selects(database, change.id(), selector))
                        .isPresent();
    }

    /** Whether a selector selects a document. A server without indexes searches its feed. */
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

    /** The failure of a change that is empty when it is read again. A forgotten revision fails, a deleted document does not. */
    Optional<Step.Failure> lost(SourceChange change) {
        return isOfRevisions()
                ? Optional.of(new Step.Failure(change, "the database has forgotten this revision", false))
                : Optional.empty();
    }

    private boolean isOfRevisions() {
        return trigger.delivery() == Trigger.Delivery.EVERY;
    }

    /** A key that is equal for changes of which only the last one counts. Where leaves are taken, each leaf has a key of its own. */
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
