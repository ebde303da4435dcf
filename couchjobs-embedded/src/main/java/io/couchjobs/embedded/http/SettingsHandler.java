package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Settings;
import java.util.Map;
import java.util.function.IntConsumer;

/** Handles the settings and the maintenance of a database. */
final class SettingsHandler {
    void register(Map<String, DbHandler> handlers) {
        handlers.put("_security", SettingsHandler::security);
        handlers.put("_revs_limit", SettingsHandler::revsLimit);
        handlers.put("_purged_infos_limit", SettingsHandler::purgedInfosLimit);
        handlers.put("_compact", SettingsHandler::compact);
        handlers.put("_view_cleanup", SettingsHandler::viewCleanup);
        handlers.put("_ensure_full_commit", SettingsHandler::ensureFullCommit);
        handlers.put("_shards", SettingsHandler::shards);
    }

    private static void security(Call call, Db db) {
        call.allow("GET", "HEAD", "PUT");
        if (call.isRead()) {
            call.answer(200, db.database().settings().security());
            return;
        }
        db.requireAdmin();
        JsonNode security = call.parsed();
        requirePeople(security);
        db.database().settings().security(security);
        call.answer(200, Json.object().put("ok", true));
    }

    /** Refuses a malformed security object with CouchDB's error: no copy accepts it, so there is no majority. */
    private static void requirePeople(JsonNode security) {
        JsonNode members = User.members(security);
        if (!security.isObject() || !arePeople(security.path("admins")) || !arePeople(members)) {
            throw new CouchError(500, "error", "no_majority");
        }
    }

    private static boolean arePeople(JsonNode people) {
        return people.isMissingNode()
                || (people.isObject() && areTexts(people.path("names")) && areTexts(people.path("roles")));
    }

    private static boolean areTexts(JsonNode texts) {
        return texts.isMissingNode() || (texts.isArray() && texts.valueStream().allMatch(JsonNode::isTextual));
    }

    private static void revsLimit(Call call, Db db) {
        Settings settings = db.database().settings();
        call.allow("GET", "PUT");
        if (!call.is("GET")) {
            db.requireAdmin();
        }
        limit(call, settings.revsLimit(), settings::revsLimit, "`rev_limit` must be a positive integer");
    }

    private static void purgedInfosLimit(Call call, Db db) {
        Settings settings = db.database().settings();
        limit(
                call,
                settings.purgedInfosLimit(),
                settings::purgedInfosLimit,
                "`purged_infos_limit` must be positive integer");
    }

    private static void limit(Call call, int now, IntConsumer set, String wrong) {
        call.allow("GET", "PUT");
        if (call.is("GET")) {
            call.answer(200, IntNode.valueOf(now));
            return;
        }
        JsonNode value = call.parsed();
        if (!value.isInt() || value.intValue() < 1) {
            throw CouchError.badRequest(wrong);
        }
        set.accept(value.intValue());
        call.answer(200, Json.object().put("ok", true));
    }

    /** Compacts before answering, whereas CouchDB only starts the compaction. Indexes have nothing to compact. */
    private static void compact(Call call, Db db) {
        upkeep(call, db);
        if (call.path().size() == 2) {
            db.database().compact();
        } else {
            db.views().group("_design/" + call.segment(2));
        }
        call.answer(202, Json.object().put("ok", true));
    }

    private static void viewCleanup(Call call, Db db) {
        upkeep(call, db);
        db.views().cleanUp();
        call.answer(202, Json.object().put("ok", true));
    }

    private static void ensureFullCommit(Call call, Db db) {
        call.allow("POST");
        call.json();
        String created = Long.toString(db.database().settings().created());
        call.answer(201, Json.object().put("ok", true).put("instance_start_time", created));
    }

    private static void upkeep(Call call, Db db) {
        call.allow("POST");
        if (!db.isAdmin()) {
            throw CouchError.unauthorized("You are not a server or db admin.");
        }
        call.requireJson();
    }

    private static void shards(Call call, Db db) {
        call.allow("GET");
        var answer = Json.object();
        answer.putObject("shards").putArray("00000000-ffffffff").add("embedded@127.0.0.1");
        call.answer(200, answer);
    }
}
