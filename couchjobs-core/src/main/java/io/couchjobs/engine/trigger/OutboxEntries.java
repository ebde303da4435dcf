package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.trigger.Outbox;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Marks or removes the entries of outboxes whose jobs were made. Thread-safe. */
final class OutboxEntries {
    private final UserDocuments documents;

    OutboxEntries(CouchDatabase database, Environment environment) {
        this.documents = new UserDocuments(database, environment);
    }

    void done(List<Wanted> made, Outbox.Entries after) {
        if (after == Outbox.Entries.LEAVE) {
            return;
        }
        Map<String, Map<String, String>> byDocument = new LinkedHashMap<>();
        made.forEach(each -> byDocument
                .computeIfAbsent(each.change().id(), id -> new LinkedHashMap<>())
                .put(each.id().id(), each.id().docId()));
        byDocument.forEach((docId, jobs) ->
                documents.change(docId, (ObjectNode document) -> Outbox.done(docId, document, jobs, after)));
    }
}
