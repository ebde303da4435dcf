package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.DocumentSize;
import io.couchjobs.embedded.store.Attachments;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts a document from a client into an {@link Edit}. Throws an error when the document is not valid. */
final class Edits {
    private static final String RESERVED = "Only reserved document ids may start with underscore.";
    private static final Set<String> IGNORED = Set.of(
            "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq", "_revisions", "_id", "_rev", "_deleted");

    /** Reserved fields that a document may have: attachments, access rights, and the notes of CouchDB's replicator. */
    private static final Set<String> KEPT = Set.of(
            Attachments.MEMBER,
            "_access",
            "_replication_id",
            "_replication_state",
            "_replication_state_reason",
            "_replication_state_time",
            "_replication_stats");

    private Edits() {}

    /** {@return the status of a successful PUT} A POST is answered 201 even when it deletes the document. */
    static int statusOfPut(Edit edit) {
        return edit.deleted() ? 200 : 201;
    }

    /** Returns the edit for a document whose id is in the body. A missing id is generated. */
    static Edit of(JsonNode given) {
        ObjectNode doc = object(given);
        JsonNode id = doc.get("_id");
        if (id != null && !id.isTextual()) {
            throw illegalId("Document id must be a string");
        }
        return of(doc, id == null ? ServerHandler.uuid() : id.textValue(), null);
    }

    /** Returns the edit for a document whose id, and perhaps revision, is in the URL. */
    static Edit of(JsonNode given, String id, @Nullable String rev) {
        ObjectNode doc = object(given).deepCopy();
        String inBody = doc.path("_rev").asText(null);
        if (rev != null && inBody != null && !rev.equals(inBody)) {
            throw CouchError.badRequest("Document rev from request body and query string have different values");
        }
        if (rev != null) {
            doc.put("_rev", rev);
        }
        checkId(id);
        return edit(doc, id);
    }

    private static ObjectNode object(JsonNode given) {
        if (given instanceof ObjectNode doc) {
            return doc;
        }
        throw CouchError.badRequest("Document must be a JSON object");
    }

    private static void checkId(String id) {
        if (id.isEmpty()) {
            throw illegalId("Document id must not be empty");
        }
        if (id.startsWith("_") && !id.startsWith("_design/") && !id.startsWith("_local/")) {
            throw illegalId(RESERVED);
        }
    }

    private static CouchError illegalId(String reason) {
        return new CouchError(400, "illegal_docid", reason);
    }

    private static Edit edit(ObjectNode doc, String id) {
        boolean deleted = doc.path("_deleted").booleanValue();
        if (doc.has("_deleted") && !doc.path("_deleted").isBoolean()) {
            checkMember("_deleted");
        }
        List<Revision> history = history(doc);
        ObjectNode body = doc.deepCopy();
        body.remove(IGNORED);
        body.fieldNames().forEachRemaining(Edits::checkMember);
        checkAttachments(body);
        checkNumbers(body);
        DocumentSize.check(doc.path("_id").asText(), body);
        return new Edit(id, history, deleted, body);
    }

    /** Refuses integers that do not fit into a double, like CouchDB, which fails to compute their size. */
    private static void checkNumbers(JsonNode value) {
        if (value.isBigInteger() && !Double.isFinite(value.doubleValue())) {
            throw new CouchError(500, "unknown_error", "badarith");
        }
        value.forEach(Edits::checkNumbers);
    }

    private static void checkMember(String name) {
        if (name.startsWith("_") && !KEPT.contains(name)) {
            throw badMember(name);
        }
    }

    private static CouchError badMember(String name) {
        return new CouchError(400, "doc_validation", "Bad special document member: " + name);
    }

    /** Checks that each attachment is a stub or has data. Like CouchDB, silently drops an attachment that is not an object. */
    private static void checkAttachments(ObjectNode body) {
        JsonNode given = body.path(Attachments.MEMBER);
        if (!given.isMissingNode() && !given.isObject()) {
            throw badMember(Attachments.MEMBER);
        }
        List<Map.Entry<String, JsonNode>> each = List.copyOf(given.properties());
        for (Map.Entry<String, JsonNode> one : each) {
            checkAttachmentName(one.getKey());
            if (!one.getValue().isObject()) {
                ((ObjectNode) given).remove(one.getKey());
            } else if (!Attachments.isStub(one.getValue()) && !Attachments.hasData(one.getValue())) {
                throw CouchError.badRequest("Invalid attachment data for " + one.getKey());
            }
        }
    }

    static void checkAttachmentName(String name) {
        if (name.startsWith("_")) {
            throw CouchError.badRequest("Attachment name '" + name + "' starts with prohibited character '_'");
        }
    }

    private static List<Revision> history(ObjectNode doc) {
        JsonNode revisions = doc.path("_revisions");
        if (!revisions.isMissingNode() && !revisions.isObject()) {
            throw badMember("_revisions");
        }
        if (revisions.isObject() && !revisions.path("start").isIntegralNumber()) {
            throw new CouchError(400, "doc_validation", "_revisions.start isn't an integer.");
        }
        List<Revision> history = new ArrayList<>();
        int pos = revisions.path("start").asInt();
        for (JsonNode hash : revisions.path("ids")) {
            history.add(new Revision(pos--, hash.asText()));
        }
        JsonNode rev = doc.get("_rev");
        if (history.isEmpty() && rev != null) {
            history.add(Revision.parse(rev.asText()));
        }
        return history;
    }
}
