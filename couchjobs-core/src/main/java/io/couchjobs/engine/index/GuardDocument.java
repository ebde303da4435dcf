package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The design document by which the database itself refuses forbidden writes: documents that cannot be a job,
 * transitions that no job makes, and writes that a user's role does not cover. A database has it only on request,
 * because CouchDB then runs JavaScript at every write. Stateless and thread-safe.
 *
 * <p>Unlike the other design documents, it has no version in its name. All validation functions of a database apply at
 * the same time, so an old guard beside a new one would go on refusing writes.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/ddocs/ddocs.html#validate-document-update-functions">validation
 *     functions</a>
 */
public final class GuardDocument {
    /** The {@code _id} of the document. */
    public static final String DOC_ID = "_design/couchjobs-guard";

    private static final String FUNCTION = "validate_doc_update";
    private static final String SOURCE = DesignDocument.script("guard/validate_doc_update.js");

    private GuardDocument() {}

    /** {@return a new copy of this version's document, without a revision} */
    public static ObjectNode toDocument() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", DOC_ID);
        document.put("language", "javascript");
        document.put("autoupdate", false);
        document.put(FUNCTION, SOURCE);
        return document;
    }

    /**
     * Returns whether a stored guard is that of this version.
     *
     * @return false for a guard of another version, or one that was changed by hand
     */
    public static boolean isCurrent(ObjectNode stored) {
        return stored.path(FUNCTION).asText().equals(SOURCE);
    }
}
