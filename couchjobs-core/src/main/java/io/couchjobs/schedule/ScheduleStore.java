package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.problem.CouchJobsException;
import io.couchjobs.store.Backoff;
import io.couchjobs.store.WriteRefusedException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Schedule documents in and out of the database. Thread-safe. */
final class ScheduleStore {
    private static final int MOST_ATTEMPTS = 20;

    private final CouchDatabase database;

    ScheduleStore(CouchDatabase database) {
        this.database = database;
    }

    CouchDatabase database() {
        return database;
    }

    Optional<ObjectNode> read(String name) {
        return database.get(Schedule.docId(name));
    }

    List<ObjectNode> readAll() {
        return database
                .view(ViewQuery.allDocs()
                        .startKey(Schedule.PREFIX)
                        .endKey(Schedule.PREFIX + "\uffff")
                        .includeDocs(true))
                .rows()
                .stream()
                .map(row -> row.doc())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Changes a schedule's document on the revision read, and starts over when somebody else wrote first or the answer was
     * lost. The change must therefore be such that doing it twice is the same as once.
     *
     * @param change from the document as it is (with only an {@code _id} when there is none) to what it is to be; the same
     *     document writes nothing
     */
    ObjectNode change(String name, UnaryOperator<ObjectNode> change) {
        Backoff backoff = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            ObjectNode present = read(name).orElseGet(() -> empty(name));
            ObjectNode next = change.apply(present.deepCopy());
            if (present.equals(ScheduleStore::compare, next) || isStored(next)) {
                return next;
            }
            pause(backoff, name);
        }
        throw new CouchJobsException("schedule " + name + " was changed by others between reading and writing it, "
                + backoff.attempts() + " times in a row; nothing was written, try again");
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

    /** Numbers are compared by value: what was written as a long comes back as an int. */
    static int compare(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return one.equals(other) ? 0 : 1;
    }

    private static ObjectNode empty(String name) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", Schedule.docId(name));
        return document;
    }

    private static void pause(Backoff backoff, String name) {
        try {
            backoff.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while changing schedule " + name, e);
        }
    }
}
