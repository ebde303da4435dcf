package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A document that a client wants to store.
 *
 * @param history the revision that the document names and the ancestors of that revision, newest first; empty for none
 * @param body the content, including {@code _attachments}, without {@code _id}, {@code _rev} and other metadata
 */
public record Edit(String id, List<Revision> history, boolean deleted, ObjectNode body) {
    public Edit {
        history = List.copyOf(history);
    }

    /** {@return the document as the client sent it} */
    public ObjectNode json() {
        ObjectNode json = Json.object().put("_id", id);
        if (!history.isEmpty()) {
            json.put("_rev", history.get(0).toString());
        }
        if (deleted) {
            json.put("_deleted", true);
        }
        json.setAll(body);
        return history.isEmpty() ? json : Doc.withHistory(json, history);
    }

    /** {@return the revision that the client expects to be a leaf; in a replicated write, the new leaf} */
    @Nullable
    Revision rev() {
        return history.isEmpty() ? null : history.get(0);
    }
}
