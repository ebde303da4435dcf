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

/** Documents of a queue beside its jobs, which many processes read and change. Thread-safe. */
public final class SharedDocuments {
    private static final int PAGE = 500;

    private final CouchDatabase database;
    private final SharedWriter writer;

    /** Works on a database. No I/O. */
    public SharedDocuments(CouchDatabase database) {
        this.database = database;
        this.writer = new SharedWriter(database);
    }

    /** Reads a document. */
    public Optional<ObjectNode> read(String docId) {
        return writer.read(docId);
    }

    /**
     * Reads some documents, 500 per request.
     *
     * @return by {@code _id}, those that are there
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

    /** {@return the documents whose {@code _id}s begin with a prefix, whose last character is an ASCII one} */
    public List<ObjectNode> readAll(String prefix) {
        int last = prefix.length() - 1;
        // The next character: everything that begins with the prefix, in any script, comes before it.
        String end = prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
        return read(ViewQuery.allDocs().startKey(prefix).endKey(end).inclusiveEnd(false));
    }

    /**
     * Changes a document on the revision read, and starts over when another writer was first or the answer was lost.
     * The change must therefore be idempotent.
     *
     * @param change from a copy of the present document (with only an {@code _id} when there is none) to the new one;
     *     the same document writes nothing
     * @throws UnconfirmedException when no majority of a cluster's copies confirms the change; it was taken back as far as can be
     * @throws WriteRefusedException when the database's own rules refuse the change
     * @throws CouchJobsException when others were always faster
     */
    public ObjectNode change(String docId, UnaryOperator<ObjectNode> change) {
        return writer.change(docId, change);
    }

    /** Removes a document, even while others change it. A missing one is left alone. */
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
