package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Edit;
import java.util.Optional;

/** Handles the {@code _local/} documents. */
final class LocalHandler {
    private LocalHandler() {}

    static void handle(Call call, Db db) {
        call.allow("DELETE", "GET", "HEAD", "PUT");
        if (call.path().size() > 3) {
            throw CouchError.badRequest("_local documents do not accept attachments.");
        }
        String id = "_local/" + call.rest(2);
        switch (call.method()) {
            case "PUT" -> write(call, db, Edits.of(call.parsed(), id, call.rev()));
            case "DELETE" -> {
                if (db.database().local().read(id).isEmpty()) {
                    throw CouchError.missing();
                }
                db.database().local().delete(id);
                call.answer(200, ok(id, "0-0"));
            }
            default -> shown(call, db.database().local().read(id));
        }
    }

    static void shown(Call call, Optional<ObjectNode> found) {
        ObjectNode doc = found.orElseThrow(CouchError::missing);
        call.etag(doc.path("_rev").asText());
        call.answer(200, doc);
    }

    static void write(Call call, Db db, Edit edit) {
        call.answer(Edits.statusOfPut(edit), ok(edit.id(), store(db, edit)));
    }

    static String store(Db db, Edit edit) {
        String rev = edit.history().isEmpty() ? null : edit.history().get(0).toString();
        if (edit.deleted()) {
            db.database().local().delete(edit.id());
            return "0-0";
        }
        return db.database().local().write(edit.id(), rev, edit.body());
    }

    private static ObjectNode ok(String id, String rev) {
        return Json.object().put("ok", true).put("id", id).put("rev", rev);
    }
}
