package io.couchjobs.embedded.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One document as a client wants it stored.
 *
 * @param history the revision it names and that one's ancestors, newest first; empty for none
 * @param body the content, with {@code _attachments} when there are any, without the other reserved members
 */
public record Edit(String id, List<Revision> history, boolean deleted, ObjectNode body) {
    public Edit {
        history = List.copyOf(history);
    }

    /** {@return the document as it was sent} */
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

    /** {@return the revision that the client believes to be a leaf, or, in a replicated write, the new leaf} */
    @Nullable
    Revision rev() {
        return history.isEmpty() ? null : history.get(0);
    }
}
