package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.feed.Seqs;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;

/** Handles a database as a whole; POST adds a document. */
final class DatabaseHandler {
    private static final int DISK_FORMAT = 8;
    private static final int MOST_INFOS = 100;

    private DatabaseHandler() {}

    static void handle(Call call, Databases databases, User user) {
        if (!call.is("PUT")) {
            call.allow("DELETE", "GET", "HEAD", "POST");
        }
        String name = call.segment(0);
        switch (call.method()) {
            case "PUT" -> create(call, databases, user, name);
            case "DELETE" -> {
                if (call.param("rev").isPresent()) {
                    throw CouchError.badRequest("You tried to DELETE a database with a ?=rev parameter. Did you mean to"
                            + " DELETE a document instead?");
                }
                user.requireAdmin();
                databases.delete(name);
                call.answer(200, Json.object().put("ok", true));
            }
            case "POST" -> DocumentHandler.post(call, databases.open(name, user));
            default -> call.answer(200, info(databases.open(name, user).database()));
        }
    }

    private static void create(Call call, Databases databases, User user, String name) {
        user.requireAdmin();
        databases.store().create(name);
        call.setHeader("Location", call.url());
        call.answer(201, Json.object().put("ok", true));
    }

    /** Answers {@code _dbs_info}, the information about several databases. */
    static void infos(Call call, Databases databases, User user) {
        call.allow("POST");
        JsonNode keys = call.jsonObjectOrNone().path("keys");
        if (!keys.isArray()) {
            throw CouchError.badRequest("`keys` member must exist.");
        } else if (keys.size() > MOST_INFOS) {
            throw CouchError.badRequest("`keys` member exceeds the maximum allowed number of keys: " + MOST_INFOS);
        }
        ArrayNode infos = Json.array();
        keys.forEach(key -> infos.add(info(databases, key.asText(), user)));
        call.answer(200, infos);
    }

    private static ObjectNode info(Databases databases, String name, User user) {
        ObjectNode entry = Json.object().put("key", name);
        try {
            entry.set("info", info(databases.open(name, user).database()));
        } catch (CouchError absent) {
            entry.put("error", "not_found");
        }
        return entry;
    }

    static ObjectNode info(Database database) {
        ObjectNode info = Json.object()
                .put("instance_start_time", Long.toString(database.settings().created()))
                .put("db_name", database.name())
                .put("purge_seq", Seqs.text(database, database.purgeSeq()))
                .put("update_seq", Seqs.text(database, database.committedSeq()));
        info.putObject("sizes")
                .put("file", database.size())
                .put("external", database.size())
                .put("active", database.size());
        info.putObject("props");
        info.put("doc_del_count", database.deletedCount())
                .put("doc_count", database.docCount())
                .put("disk_format_version", DISK_FORMAT)
                .put("compact_running", false);
        info.putObject("cluster").put("q", 1).put("n", 1).put("w", 1).put("r", 1);
        return info;
    }
}
