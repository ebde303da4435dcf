package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Makes the document that deletes another one in a bulk write. */
public final class Tombstone {
    private Tombstone() {}

    /**
     * {@return a tombstone that deletes this revision} If the document has another revision by then, the write is a
     * conflict.
     */
    public static ObjectNode of(String docId, String rev) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", docId)
                .put("_rev", rev)
                .put("_deleted", true);
    }
}
