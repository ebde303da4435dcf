package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads and changes the documents of a queue other than jobs, which many processes share. Thread-safe. */
public final class SharedDocuments {
    private static final int PAGE = 500;

    private final CouchDatabase database;
    private final SharedWriter writer;

    /** Creates an instance for a database without I/O. */
    public SharedDocuments(CouchDatabase database) {
        this.database = database;
        this.writer = new SharedWriter(database);
    }

    /** Reads a document. */
    public Optional<ObjectNode> read(String docId) {
        return writer.read(docId);
    }

    /**
     * Reads several documents, 500 per request.
     *
     * @return the existing documents, by {@code _id}
     */
    public Map<String, ObjectNode> readEach(List<String> docIds) {
        Map<String, ObjectNode> found = new LinkedHashMap<>();
        for (int from = 0; from < docIds.size(); from += PAGE) {
            List<String> page = docIds.subList(from, Math.min(from + PAGE, docIds.size()));
            read(ViewQuery.allDocs().keys(page))
                    .forEach(document -> found.put(document.path("_id").asText(), document));
        }
        return found;
    }

    /** {@return the documents whose {@code _id}s begin with a prefix; the last character of the prefix must be ASCII} */
    public List<ObjectNode> readAll(String prefix) {
        int last = prefix.length() - 1;
        // Every id that begins with the prefix, in any script, sorts before the next ASCII character.
        String end = prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
        return read(ViewQuery.allDocs().startKey(prefix).endKey(end).inclusiveEnd(false));
    }

    /**
     * Changes a document conditionally on the revision that was read, and starts over if another writer was first or the
     * answer was lost. Therefore the change must be idempotent.
     *
     * @param change returns the new document for a copy of the present one, which has only an {@code _id} if it does not
     *     exist. If it returns the same document, nothing is written
     * @throws UnconfirmedException if no majority of a cluster's copies confirms the change; the change is taken back as far
     *     as possible
     * @throws WriteRefusedException if the rules of the database refuse the change
     * @throws CouchJobsException if other writers were always first
     */
    public ObjectNode change(String docId, UnaryOperator<ObjectNode> change) {
        return writer.change(docId, change);
    }

    /** Removes a document if it exists, even while other processes change it. */
    public void remove(String docId) {
        ObjectNode unused = change(docId, document -> {
            String rev = document.path("_rev").asText();
            return rev.isEmpty() ? document : Tombstone.of(docId, rev);
        });
    }

    private List<ObjectNode> read(ViewQuery query) {
        List<ObjectNode> documents = new ArrayList<>();
        database.view(query.includeDocs(true)).rows().stream()
                .map(row -> row.doc())
                .filter(Objects::nonNull)
                .forEach(documents::add);
        return documents;
    }
}
