package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The document that deletes another, as a bulk write takes it. */
public final class Tombstone {
    private Tombstone() {}

    /**
     * Makes the tombstone of a document.
     *
     * @param docId its {@code _id}
     * @param rev the revision to delete; when the document has another one by then, the write is a conflict
     * @return a new document with nothing but {@code _id}, {@code _rev} and {@code _deleted}
     */
    public static ObjectNode of(String docId, String rev) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", docId)
                .put("_rev", rev)
                .put("_deleted", true);
    }
}
