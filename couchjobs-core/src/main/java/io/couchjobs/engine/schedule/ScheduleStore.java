package io.couchjobs.engine.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.schedule.Schedule;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Schedule documents in and out of the database. Thread-safe. */
final class ScheduleStore {
    private final CouchDatabase database;
    private final SharedDocuments documents;

    ScheduleStore(CouchDatabase database) {
        this.database = database;
        this.documents = new SharedDocuments(database);
    }

    CouchDatabase database() {
        return database;
    }

    Optional<ObjectNode> read(String name) {
        return documents.read(Schedule.docId(name));
    }

    List<ObjectNode> readAll() {
        return documents.readAll(DocIds.SCHEDULE);
    }

    /** Changes a schedule's document as {@link SharedDocuments#change} does. */
    ObjectNode change(String name, UnaryOperator<ObjectNode> change) {
        return documents.change(Schedule.docId(name), change);
    }
}
