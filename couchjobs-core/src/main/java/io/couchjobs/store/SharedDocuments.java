package io.couchjobs.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.problem.CouchJobsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Documents of a queue beside its jobs, which many processes read and change. Thread-safe. */
public final class SharedDocuments {
    private static final int MOST_ATTEMPTS = 20;
    private static final int PAGE = 500;

    private final CouchDatabase database;

    /**
     * Works on a database. No I/O.
     *
     * @param database the database
     */
    public SharedDocuments(CouchDatabase database) {
        this.database = database;
    }

    /**
     * Reads a document.
     *
     * @param docId its {@code _id}
     * @return the document as it is now; empty when there is none
     */
    public Optional<ObjectNode> read(String docId) {
        return database.get(docId);
    }

    /**
     * Reads some documents, 500 per request.
     *
     * @param docIds their {@code _id}s
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

    /**
     * Reads all documents of a kind.
     *
     * @param prefix what their {@code _id}s begin with; its last character is an ASCII one
     * @return the documents, by their {@code _id}s
     */
    public List<ObjectNode> readAll(String prefix) {
        int last = prefix.length() - 1;
        // The next character: everything that begins with the prefix, in any script, comes before it.
        String end = prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
        return read(ViewQuery.allDocs().startKey(prefix).endKey(end).inclusiveEnd(false));
    }

    /**
     * Changes a document on the revision read, and starts over when somebody else wrote first or the answer was lost. The
     * change must therefore be such that doing it twice is the same as once.
     *
     * @param docId its {@code _id}
     * @param change from a copy of the document as it is (with only an {@code _id} when there is none) to what it is to be; the
     *     same document writes nothing
     * @return the document as stored, but for its revision
     * @throws WriteRefusedException when the database's own rules refuse the change
     * @throws CouchJobsException when others were always faster
     */
    public ObjectNode change(String docId, UnaryOperator<ObjectNode> change) {
        Backoff backoff = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            ObjectNode present = read(docId).orElseGet(() -> empty(docId));
            ObjectNode next = change.apply(present.deepCopy());
            if (present.equals(SharedDocuments::compare, next) || isStored(next)) {
                return next;
            }
            pause(backoff, docId);
        }
        throw new CouchJobsException(docId + " was changed by others between reading and writing it, "
                + backoff.attempts() + " times in a row; nothing was written, try again");
    }

    private List<ObjectNode> read(ViewQuery query) {
        List<ObjectNode> documents = new ArrayList<>();
        database.view(query.includeDocs(true)).rows().stream()
                .map(row -> row.doc())
                .filter(Objects::nonNull)
                .forEach(documents::add);
        return documents;
    }

    /** Only what a quorum confirmed counts as stored; a lost answer is settled by reading again. */
    private boolean isStored(ObjectNode next) {
        try {
            WriteResult written = database.put(next);
            if (written instanceof WriteResult.Refused refused) {
                throw new WriteRefusedException(refused);
            }
            return written instanceof WriteResult.Stored;
        } catch (CouchException trouble) {
            if (!trouble.outcomeUnknown()) {
                throw trouble;
            }
            return false;
        }
    }

    /**
     * Compares JSON with numbers by value, for {@link JsonNode#equals(java.util.Comparator, JsonNode)}: what was written as a
     * long comes back as an int.
     *
     * @param one a value
     * @param other another
     * @return 0 when they are the same
     */
    public static int compare(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return one.equals(other) ? 0 : 1;
    }

    private static ObjectNode empty(String docId) {
        return JsonNodeFactory.instance.objectNode().put("_id", docId);
    }

    private static void pause(Backoff backoff, String docId) {
        try {
            backoff.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while changing " + docId, e);
        }
    }
}
