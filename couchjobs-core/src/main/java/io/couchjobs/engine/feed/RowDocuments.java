package io.couchjobs.engine.feed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.couch.ChangesRequest;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the documents of rows that came without them. A document may be newer than its row. */
final class RowDocuments {
    private static final Logger log = LoggerFactory.getLogger(RowDocuments.class);

    private final CouchDatabase database;

    RowDocuments(CouchDatabase database) {
        this.database = database;
    }

    /**
     * Returns, by document id, the rows as the feed would have brought them with documents. Costs one request, and one
     * per tombstone.
     */
    Map<String, Change> read(Collection<Change> rows) {
        Map<String, Change> found = new HashMap<>();
        Map<String, Change> present = new HashMap<>();
        for (Change row : rows) {
            if (row.deleted()) {
                found.put(
                        row.id(),
                        tombstone(row, row.revs().isEmpty() ? "" : row.revs().get(0)));
            } else {
                present.put(row.id(), row);
            }
        }
        if (!present.isEmpty()) {
            ViewQuery wanted =
                    ViewQuery.allDocs().keys(present.keySet()).includeDocs(true).conflicts(true);
            for (ViewResult.Row row : database.view(wanted).rows()) {
                String docId = row.key().asText();
                Change change = present.get(docId);
                if (change != null) {
                    found.put(docId, whole(change, row));
                }
            }
        }
        return found;
    }

    /** Returns a row with its document, as the feed brings it, or the row itself when the document cannot be read. */
    Change alone(Change row) {
        ChangesRequest document = ChangesRequest.normal()
                .docIds(List.of(row.id()))
                .includeDocs(true)
                .conflicts(true);
        try {
            return PastChanges.read(database, document).stream().findFirst().orElse(row);
        } catch (CouchException e) {
            if (e.status() / 100 != 2) {
                throw e;
            }
            log.warn("{} cannot be read by the feed, which goes on without it: {}", row.id(), e.getMessage());
            return row;
        }
    }

    private Change whole(Change row, ViewResult.Row now) {
        ObjectNode document = now.doc();
        String rev = now.value().path("rev").asText();
        if (document != null) {
            return new Change(row.seq(), row.id(), List.of(rev), false, document);
        }
        boolean isPurged = now.error().isPresent();
        return isPurged ? new Change(row.seq(), row.id(), row.revs(), true, null) : tombstone(row, rev);
    }

    private Change tombstone(Change row, String rev) {
        ObjectNode tombstone =
                rev.isEmpty() ? null : database.get(row.id(), rev).orElse(null);
        return new Change(row.seq(), row.id(), List.of(rev), true, tombstone);
    }
}
