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
 * Reads all leaves of documents, and what readers are shown of them. One reading alone does not tell what a majority of the
 * copies has:
 *
 * <ul>
 *   <li>A reading of a document shows a leaf that two copies have; copies that disagree are given each other's winners before it
 *       is shown. But when two copies are all that answer, one of them may hide another leaf, and {@code _conflicts} do not name
 *       it.
 *   <li>A reading of all leaves hides none. But one copy may be alone with a leaf, while another one is behind.
 * </ul>
 *
 * <p>So the documents are read first, and then their leaves. The shown leaf is on two copies, and counts while it is still
 * the winner of all leaves. Stateless.
 */
public final class ShownLeaves {
    private static final Comparator<ObjectNode> WINNER_FIRST = Comparator.comparing(
                    (ObjectNode leaf) -> leaf.path("_deleted").asBoolean())
            .thenComparing(Leaves.AS_COUCHDB);

    private ShownLeaves() {}

    /**
     * {@return by document id, all leaves as {@link CouchDatabase#leavesOfAll} has them, none of a document that was never there.
     * A document is missing when it cannot be read now, or the winner of its leaves is not what was shown}
     */
    public static Map<String, List<ObjectNode>> read(CouchDatabase database, List<String> docIds) {
        Map<String, List<ObjectNode>> found = new HashMap<>();
        Map<String, String> shown = shown(database, docIds);
        List<Optional<List<ObjectNode>>> all = database.leavesOfAll(docIds);
        for (int i = 0; i < docIds.size(); i++) {
            String docId = docIds.get(i);
            String rev = shown.get(docId);
            all.get(i)
                    // PouchDB Server's _bulk_get says nothing of a deleted document.
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

    /** {@return the revision of the leaf that readers are shown when they see all of these; empty without any} */
    static Optional<String> winner(List<ObjectNode> leaves) {
        return leaves.stream().min(WINNER_FIRST).map(leaf -> leaf.path("_rev").asText());
    }
}
