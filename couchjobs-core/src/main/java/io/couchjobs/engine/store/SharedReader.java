package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import java.util.List;
import java.util.Optional;

/** Reads documents that many processes change, and that may have several leaves. Thread-safe. */
final class SharedReader {
    private final CouchDatabase database;
    private final Copies copies;

    SharedReader(CouchDatabase database, Copies copies) {
        this.database = database;
        this.copies = copies;
    }

    /** Reads a document; reads all its leaves only when there are several. */
    Optional<ObjectNode> read(String docId, SharedWriter.Kind kind) {
        Optional<ObjectNode> seen = isLocal(docId) ? database.get(docId) : database.getWithConflicts(docId);
        if (seen.filter(document -> document.has("_conflicts")).isPresent()) {
            return view(docId, kind).document();
        }
        seen.ifPresent(document -> document.remove(SharedLeaf.UNCOUNTED));
        return seen;
    }

    /** The view for readers: the leaf that came later, not the one of the longer branch. */
    SharedView view(String docId, SharedWriter.Kind kind) {
        if (isLocal(docId) || !copies.areSeveral()) {
            List<SharedLeaf> one =
                    database.get(docId).map(SharedLeaf::of).map(List::of).orElseGet(List::of);
            return new SharedView(docId, one, false);
        }
        return conflicted(docId, kind, true);
    }

    SharedView conflicted(String docId, SharedWriter.Kind kind, boolean severalCopies) {
        List<SharedLeaf> leaves = database.leavesWithHistories(docId).stream()
                .map(SharedLeaf::of)
                .filter(SharedLeaf::counts)
                .sorted(kind.later().reversed())
                .toList();
        return new SharedView(docId, leaves, severalCopies);
    }

    static boolean isLocal(String docId) {
        return docId.startsWith("_local/");
    }
}
