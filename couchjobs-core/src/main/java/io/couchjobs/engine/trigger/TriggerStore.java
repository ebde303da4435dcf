package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.store.SharedDocuments;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.trigger.Trigger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Trigger documents in and out of the database. Thread-safe. */
final class TriggerStore {
    private final SharedDocuments documents;

    TriggerStore(SharedDocuments documents) {
        this.documents = documents;
    }

    Optional<ObjectNode> read(String name) {
        return documents.read(Trigger.docId(name));
    }

    List<ObjectNode> readAll() {
        return documents.readAll(DocIds.TRIGGER);
    }

    /** Those that can be one. */
    List<Trigger> all() {
        return readAll().stream()
                .map(TriggerStore::parsed)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The problems of the others, by name. */
    Map<String, String> malformed() {
        Map<String, String> problems = new TreeMap<>();
        for (ObjectNode document : readAll()) {
            try {
                Trigger.parse(document);
            } catch (MalformedDocumentException wrong) {
                problems.put(Trigger.nameOf(document.path("_id").asText()), String.valueOf(wrong.getMessage()));
            }
        }
        return problems;
    }

    static Optional<Trigger> parsed(ObjectNode document) {
        try {
            return Optional.of(Trigger.parse(document));
        } catch (MalformedDocumentException leftOut) {
            return Optional.empty();
        }
    }

    /** Changes a trigger's document as {@link SharedDocuments#change} does. */
    ObjectNode change(String name, UnaryOperator<ObjectNode> change) {
        return documents.change(Trigger.docId(name), change);
    }
}
