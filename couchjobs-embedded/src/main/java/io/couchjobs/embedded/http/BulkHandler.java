package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.store.EditResult;
import io.couchjobs.embedded.tree.Node;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Handles {@code _bulk_docs} and {@code _bulk_get}: many documents in one request. */
final class BulkHandler {
    void register(Map<String, DbHandler> handlers) {
        handlers.put("_bulk_docs", BulkHandler::write);
        handlers.put("_bulk_get", BulkHandler::read);
    }

    private static void write(Call call, Db db) {
        call.allow("POST");
        ObjectNode request = call.jsonObject();
        if (!request.path("docs").isArray()) {
            throw CouchError.badRequest(
                    request.has("docs")
                            ? "`docs` parameter must be an array."
                            : "POST body must include `docs` parameter.");
        }
        List<Edit> edits = new ArrayList<>();
        request.path("docs").forEach(doc -> edits.add(Edits.of(doc)));
        if (request.path("new_edits").asBoolean(true)) {
            call.answer(201, rows(edits, db));
        } else {
            edits.forEach(BulkHandler::requireRevisions);
            call.answer(201, refused(edits, db));
        }
    }

    static void requireRevisions(Edit edit) {
        if (edit.history().isEmpty()) {
            throw CouchError.badRequest("When `new_edits: false`, the document needs `_rev` or `_revisions` specified");
        }
    }

    /** Writes the edits and returns one row for each. The {@code _local/} documents are written separately. */
    private static ArrayNode rows(List<Edit> edits, Db db) {
        Iterator<EditResult> results = db.write(withoutLocals(edits)).iterator();
        ArrayNode rows = Json.array();
        edits.forEach(edit -> rows.add(isLocal(edit) ? local(edit, db) : row(results.next())));
        return rows;
    }

    private static List<Edit> withoutLocals(List<Edit> edits) {
        return edits.stream().filter(edit -> !isLocal(edit)).toList();
    }

    private static boolean isLocal(Edit edit) {
        return edit.id().startsWith("_local/");
    }

    private static ObjectNode local(Edit edit, Db db) {
        try {
            return Json.object().put("ok", true).put("id", edit.id()).put("rev", LocalHandler.store(db, edit));
        } catch (CouchError e) {
            return Json.object().put("id", edit.id()).setAll(DocumentHandler.error(e));
        }
    }

    private static ObjectNode row(EditResult result) {
        if (result.error() != null) {
            ObjectNode row = Json.object().put("id", result.id());
            return row.setAll(DocumentHandler.error(result.error()));
        }
        return Json.object()
                .put("ok", true)
                .put("id", result.id())
                .put("rev", result.revOrThrow().toString());
    }

    private static ArrayNode refused(List<Edit> edits, Db db) {
        ArrayNode rows = Json.array();
        for (EditResult result : db.replicate(withoutLocals(edits))) {
            if (result.error() != null) {
                ObjectNode row = Json.object().put("id", result.id()).put("rev", String.valueOf(result.rev()));
                rows.add(row.setAll(DocumentHandler.error(result.error())));
            }
        }
        edits.stream()
                .filter(BulkHandler::isLocal)
                .map(edit -> local(edit, db))
                .filter(row -> row.has("error"))
                .forEach(rows::add);
        return rows;
    }

    private static void read(Call call, Db db) {
        call.allow("POST");
        read(call, db.database(), wanted(call));
    }

    static void read(Call call, Database database, List<JsonNode> wanted) {
        ObjectNode answer = Json.object();
        ArrayNode results = answer.putArray("results");
        wanted.forEach(one -> results.add(result(call, database, one)));
        call.answer(200, answer);
    }

    /** {@return the entries of a {@code _bulk_get} request} */
    static List<JsonNode> wanted(Call call) {
        JsonNode wanted = call.jsonObject().path("docs");
        if (!wanted.isArray()) {
            throw CouchError.badRequest("Missing JSON list of 'docs'.");
        }
        List<JsonNode> all = new ArrayList<>();
        wanted.forEach(all::add);
        return all;
    }

    private static ObjectNode result(Call call, Database database, JsonNode wanted) {
        String id = wanted.path("id").asText();
        String rev = wanted.path("rev").asText(null);
        ObjectNode result = Json.object().put("id", id);
        ArrayNode docs = result.putArray("docs");
        try {
            for (Doc doc : found(database, id, rev, call.flag("latest"))) {
                docs.addObject().set("ok", DocShape.of(call).ofRevision().json(database, doc));
            }
        } catch (CouchError e) {
            ObjectNode error = docs.addObject().putObject("error").put("id", id);
            error.put("rev", rev == null ? "undefined" : rev).setAll(DocumentHandler.error(e));
        }
        return result;
    }

    /** Returns a named revision, or all leaves when no revision is named. */
    private static List<Doc> found(Database database, String id, @Nullable String rev, boolean latest) {
        List<Doc> found = rev != null
                ? OpenRevs.docs(database, id, Revision.parse(rev), latest)
                : database.tree(id).leaves().stream()
                        .map(Node::rev)
                        .sorted()
                        .flatMap(leaf -> database.revision(id, leaf).stream())
                        .toList();
        if (found.isEmpty()) {
            throw CouchError.missing();
        }
        return found;
    }
}
