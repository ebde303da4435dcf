package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads, writes and deletes one document. */
final class DocumentHandler {
    private final Call call;
    private final Db db;
    private final String id;

    DocumentHandler(Call call, Db db, String id) {
        this.call = call;
        this.db = db;
        this.id = id;
    }

    void handle() {
        NotBuilt.checkDocument(call);
        call.allow("DELETE", "GET", "HEAD", "POST", "PUT", "COPY");
        switch (call.method()) {
            case "PUT" -> put();
            case "DELETE" -> delete();
            case "GET", "HEAD" -> get();
            default -> {
                call.setHeader("Allow", "DELETE,GET,HEAD,PUT");
                throw new CouchError(405, "method_not_allowed", "Only DELETE,GET,HEAD,PUT allowed");
            }
        }
    }

    static void post(Call call, Db db) {
        Edit edit = Edits.of(call.json());
        if (edit.id().startsWith("_local/")) {
            LocalHandler.write(call, db, edit);
            return;
        }
        new DocumentHandler(call, db, edit.id()).store(edit);
    }

    private void put() {
        boolean newEdits = !call.param("new_edits").filter("false"::equals).isPresent();
        Edit edit = Edits.of(call.parsed(), id, newEdits ? call.rev() : null);
        if (newEdits) {
            store(edit);
        } else {
            replicate(edit);
        }
    }

    private void store(Edit edit) {
        Revision rev = db.write(List.of(edit)).get(0).revOrThrow();
        call.setHeader("Location", call.is("POST") ? call.url() + "/" + id : call.url());
        stored(call.is("POST") ? 201 : Edits.statusOfPut(edit), rev);
    }

    private void replicate(Edit edit) {
        BulkHandler.requireRevisions(edit);
        stored(Edits.statusOfPut(edit), db.replicate(List.of(edit)).get(0).revOrThrow());
    }

    private void stored(int status, Revision rev) {
        call.etag(rev.toString());
        call.answer(status, Json.object().put("ok", true).put("id", id).put("rev", rev.toString()));
    }

    private void delete() {
        RevTree tree = db.database().tree(id);
        if (tree.isEmpty()) {
            throw CouchError.missing();
        }
        String rev = call.rev();
        if (tree.winner().deleted()) {
            throw CouchError.deleted();
        }
        List<Revision> base = rev == null ? List.of() : List.of(Revision.parse(rev));
        Edit tombstone = new Edit(id, base, true, Json.object());
        stored(200, db.write(List.of(tombstone)).get(0).revOrThrow());
    }

    /** Answers with a document. With {@code latest}, reads the winner and ignores a named revision. */
    private void get() {
        if (call.param("open_revs").isPresent()) {
            OpenRevs.answer(call, db.database(), id);
            return;
        }
        String rev = call.flag("latest") ? null : call.param("rev").orElse(null);
        Doc doc = find(db.database(), id, rev);
        DocShape shape = rev == null ? DocShape.of(call) : DocShape.of(call).ofRevision();
        String etag = doc.rev().toString();
        if (shape.equals(DocShape.PLAIN)) {
            call.etag(etag);
            if (call.hasVersion(etag)) {
                call.answer(304);
                return;
            }
        }
        call.answer(200, shape.json(db.database(), doc));
    }

    static Doc find(Database database, String id, @Nullable String rev) {
        if (rev != null) {
            return database.revision(id, Revision.parse(rev)).orElseThrow(CouchError::missing);
        }
        Doc doc = database.winner(id).orElseThrow(CouchError::missing);
        if (doc.node().deleted()) {
            throw CouchError.deleted();
        }
        return doc;
    }

    static ObjectNode error(CouchError error) {
        return Json.object().put("error", error.error()).put("reason", error.reason());
    }
}
