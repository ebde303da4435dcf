package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Attachments;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.embedded.store.Edit;
import io.couchjobs.embedded.tree.Revision;
import java.util.List;

/** Reads, writes and deletes one attachment. */
final class AttachmentHandler {
    private final Call call;
    private final Db db;
    private final String id;
    private final String name;

    AttachmentHandler(Call call, Db db, String id, String name) {
        this.call = call;
        this.db = db;
        this.id = id;
        this.name = name;
    }

    void handle() {
        call.allow("DELETE", "GET", "HEAD", "PUT");
        switch (call.method()) {
            case "PUT" -> put();
            case "DELETE" -> delete();
            default -> get();
        }
    }

    private void get() {
        Database database = db.database();
        Doc doc = DocumentHandler.find(database, id, call.param("rev").orElse(null));
        JsonNode entry = doc.body().path(Attachments.MEMBER).path(name);
        byte[] data = database.attachments()
                .read(entry)
                .orElseThrow(() -> new CouchError(404, "not_found", "Document is missing attachment"));
        call.etag(entry.path("digest").asText().substring("md5-".length()));
        call.answer(200, entry.path("content_type").asText(), data);
    }

    private void put() {
        Edits.checkAttachmentName(name);
        ObjectNode body = base();
        String type = call.header("Content-Type").orElse("application/octet-stream");
        body.withObject("/" + Attachments.MEMBER).set(name, Attachments.inline(type, call.body()));
        store(201, body);
    }

    private void delete() {
        ObjectNode body = base();
        if (body.withObject("/" + Attachments.MEMBER).remove(name) == null) {
            throw new CouchError(404, "not_found", "Document is missing attachment");
        }
        store(200, body);
    }

    private ObjectNode base() {
        String rev = call.rev();
        if (rev == null) {
            if (db.database().live(id).isPresent()) {
                throw CouchError.conflict();
            }
            return Json.object();
        }
        return db.database()
                .revision(id, Revision.parse(rev))
                .orElseThrow(CouchError::conflict)
                .body();
    }

    private void store(int status, ObjectNode body) {
        String rev = call.rev();
        List<Revision> base = rev == null ? List.of() : List.of(Revision.parse(rev));
        Revision stored =
                db.write(List.of(new Edit(id, base, false, body))).get(0).revOrThrow();
        call.etag(stored.toString());
        call.answer(status, Json.object().put("ok", true).put("id", id).put("rev", stored.toString()));
    }
}
