package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The document that deletes another, as a bulk write takes it. */
public final class Tombstone {
    private Tombstone() {}

    /** {@return a tombstone that deletes this revision; when the document has another one by then, the write is a conflict} */
    public static ObjectNode of(String docId, String rev) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", docId)
                .put("_rev", rev)
                .put("_deleted", true);
    }
}
