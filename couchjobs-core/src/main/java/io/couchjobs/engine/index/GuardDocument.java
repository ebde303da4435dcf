package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The design document by which the database itself refuses forbidden writes: documents that cannot be a job,
 * transitions that no job makes, and writes that a user's role does not cover. A database has it only on request,
 * because CouchDB then runs JavaScript at every write. Stateless and thread-safe.
 *
 * <p>Unlike the others it has no version in its name: all validation functions of a database hold at the same time, so an old
 * one beside a new one would go on refusing.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/ddocs/ddocs.html#validate-document-update-functions">validation functions</a>
 */
public final class GuardDocument {
    /** Its {@code _id}. */
    public static final String DOC_ID = "_design/couchjobs-guard";

    private static final String FUNCTION = "validate_doc_update";
    private static final String SOURCE = DesignDocument.script("guard/validate_doc_update.js");

    private GuardDocument() {}

    /** {@return a new copy of the document as it should be, without a revision} */
    public static ObjectNode toDocument() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", DOC_ID);
        document.put("language", "javascript");
        document.put("autoupdate", false);
        document.put(FUNCTION, SOURCE);
        return document;
    }

    /**
     * Whether a stored guard is the one of this version.
     *
     * @return false for one of another version, or one that was changed by hand
     */
    public static boolean isCurrent(ObjectNode stored) {
        return stored.path(FUNCTION).asText().equals(SOURCE);
    }
}
