package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads all leaves of documents, and the leaves that readers see. One read alone does not show the state that a majority of
 * the copies has:
 *
 * <ul>
 *   <li>A read of a document returns a leaf that two copies have, because copies that disagree first exchange their winners.
 *       But if only two copies answer, one of them may hide another leaf, which {@code _conflicts} do not name.
 *   <li>A read of all leaves hides none. But a leaf may be on a single copy, because another copy is behind.
 * </ul>
 *
 * <p>So this class first reads the documents, and then their leaves. The leaf that readers see is on two copies. It counts if
 * it is still the winner of all leaves. Stateless.
 */
public final class ShownLeaves {
    private static final Comparator<ObjectNode> WINNER_FIRST = Comparator.comparing(
                    (ObjectNode leaf) -> leaf.path("_deleted").asBoolean())
            .thenComparing(Leaves.AS_COUCHDB);

    private ShownLeaves() {}

    /**
     * {@return by document id, all leaves as in {@link CouchDatabase#leavesOfAll}} A document that never existed has no
     * leaves. A document has no entry if it cannot be read now, or the winner of its leaves is not the leaf that readers saw.
     */
    public static Map<String, List<ObjectNode>> read(CouchDatabase database, List<String> docIds) {
        Map<String, List<ObjectNode>> found = new HashMap<>();
        Map<String, String> shown = shown(database, docIds);
        List<Optional<List<ObjectNode>>> all = database.leavesOfAll(docIds);
        for (int i = 0; i < docIds.size(); i++) {
            String docId = docIds.get(i);
            String rev = shown.get(docId);
            all.get(i)
                    // PouchDB Server's _bulk_get returns no leaves of a deleted document.
                    .map(leaves -> leaves.isEmpty() && rev != null ? database.leavesWithHistories(docId) : leaves)
                    .filter(leaves -> winner(leaves).equals(Optional.ofNullable(rev)))
                    .ifPresent(leaves -> found.put(docId, leaves));
        }
        return found;
    }

    private static Map<String, String> shown(CouchDatabase database, List<String> docIds) {
        Map<String, String> revs = new HashMap<>();
        for (ViewResult.Row row :
                database.view(ViewQuery.allDocs().keys(docIds)).rows()) {
            if (row.error().isEmpty()) {
                revs.put(row.key().asText(), row.value().path("rev").asText());
            }
        }
        return revs;
    }

    /** {@return the revision of the winner of some leaves; empty when there are none} */
    static Optional<String> winner(List<ObjectNode> leaves) {
        return leaves.stream().min(WINNER_FIRST).map(leaf -> leaf.path("_rev").asText());
    }
}
