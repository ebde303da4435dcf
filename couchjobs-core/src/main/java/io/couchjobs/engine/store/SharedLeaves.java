package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads and writes the leaves of documents that many processes change. Thread-safe. */
final class SharedLeaves {
    private static final int MOST_DELETIONS = 6;

    private final CouchDatabase database;
    private final SharedWriter.Kind kind;
    private final Copies copies;
    private final LostAnswers lostAnswers;

    SharedLeaves(CouchDatabase database, SharedWriter.Kind kind) {
        this.database = database;
        this.kind = kind;
        this.copies = new Copies(database);
        this.lostAnswers = new LostAnswers(database, copies);
    }

    /** Reads a document; reads all its leaves only if it has conflicts. */
    Optional<ObjectNode> read(String docId) {
        Optional<ObjectNode> seen = database.getWithConflicts(docId);
        if (seen.filter(document -> document.has("_conflicts")).isPresent()) {
            return view(docId).document();
        }
        seen.ifPresent(document -> document.remove(SharedLeaf.UNCOUNTED));
        return seen;
    }

    /** Returns the leaves in the order for readers: the later leaf comes first, not the leaf of the longer branch. */
    SharedView view(String docId) {
        if (!copies.areSeveral()) {
            List<SharedLeaf> one =
                    database.get(docId).map(SharedLeaf::of).map(List::of).orElseGet(List::of);
            return new SharedView(docId, one, false);
        }
        return conflicted(docId);
    }

    /** Returns all leaves that count, even with one copy. */
    SharedView conflicted(String docId) {
        boolean severalCopies = copies.areSeveral();
        List<SharedLeaf> leaves = database.leavesWithHistories(docId).stream()
                .map(SharedLeaf::of)
                .filter(SharedLeaf::counts)
                .sorted(kind.later().reversed())
                .toList();
        return new SharedView(docId, leaves, severalCopies);
    }

    /**
     * Writes a document. If the answer is lost, the result is looked up; on a cluster a write that is found counts as stored,
     * but not as confirmed.
     */
    WriteResult put(ObjectNode document) {
        String docId = document.path("_id").asText();
        try {
            return WriteRefusedException.check(database.put(document));
        } catch (CouchException trouble) {
            if (!trouble.outcomeUnknown()) {
                throw trouble;
            }
            return lostAnswers.lookUp(List.of(document)).get(0).orElseGet(() -> new WriteResult.Conflict(docId));
        }
    }

    /** Writes a leaf; returns its revision if at least one copy has stored it. */
    Optional<String> store(ObjectNode document) {
        WriteResult written = put(document);
        if (written instanceof WriteResult.Accepted accepted) {
            return Optional.of(accepted.rev());
        }
        return written instanceof WriteResult.Stored stored ? Optional.of(stored.rev()) : Optional.empty();
    }

    /** Deletes a leaf that lost. Copies that do not have the leaf yet refuse the deletion, so it is retried for a while. */
    void delete(String docId, String rev, String winner) {
        Backoff backoff = backoff();
        while (store(SharedLeaf.lost(docId, rev, winner)).isEmpty()) {
            boolean isGone = database.leavesWithHistories(docId).stream()
                    .map(SharedLeaf::of)
                    .anyMatch(leaf -> leaf.descendsFrom(rev) && !leaf.rev().equals(rev));
            if (isGone || backoff.attempts() >= MOST_DELETIONS) {
                return;
            }
            pause(backoff, docId);
        }
    }

    Backoff backoff() {
        return new Backoff(ServerAccess.environment(database.server()), Duration.ofMillis(20), Duration.ofSeconds(1));
    }

    static void pause(Backoff backoff, String docId) {
        if (!backoff.pauseUnlessInterrupted()) {
            throw new CouchJobsException("interrupted while changing " + docId);
        }
    }
}
