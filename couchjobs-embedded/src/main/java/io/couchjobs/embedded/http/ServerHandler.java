package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.CouchStore;
import java.util.Map;
import java.util.UUID;

/** Handles the resources of the server as a whole. */
final class ServerHandler {
    static final String SOFTWARE = "CouchDB/3.5.0 (couchjobs-embedded)";
    private static final int MOST_UUIDS = 1000;

    private final CouchStore store;
    private final String uuid = uuid();

    ServerHandler(CouchStore store) {
        this.store = store;
    }

    void register(Map<String, Handler> handlers) {
        handlers.put("", (call, user) -> welcome(call));
        handlers.put("_up", (call, user) -> up(call));
        handlers.put("_uuids", (call, user) -> uuids(call));
        handlers.put("_all_dbs", this::allDatabases);
        handlers.put("_db_updates", ServerHandler::databaseUpdates);
        handlers.put("_active_tasks", ServerHandler::activeTasks);
        handlers.put("_node", ServerHandler::node);
        handlers.put("_membership", ServerHandler::membership);
    }

    private void welcome(Call call) {
        call.allow("GET", "HEAD");
        var welcome =
                Json.object().put("couchdb", "Welcome").put("version", "3.5.0").put("uuid", uuid);
        welcome.putArray("features");
        welcome.putObject("vendor").put("name", "couchjobs-embedded");
        call.answer(200, welcome);
    }

    private static void up(Call call) {
        call.allow("GET", "HEAD");
        var up = Json.object().put("status", "ok");
        up.putObject("seeds");
        call.answer(200, up);
    }

    private static void uuids(Call call) {
        call.allow("GET");
        long count =
                call.param("count").map(text -> Params.number("count", text)).orElse(1L);
        var answer = Json.object();
        ArrayNode array = answer.putArray("uuids");
        for (long i = 0; i < Math.min(count, MOST_UUIDS); i++) {
            array.add(uuid());
        }
        call.setHeader("Cache-Control", "no-cache");
        call.answer(200, answer);
    }

    static String uuid() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private void allDatabases(Call call, User user) {
        call.allow("GET", "HEAD");
        user.requireAdmin();
        ArrayNode names = Json.array();
        Params.page(call, store.names()).forEach(names::add);
        call.answer(200, names);
    }

    /** Answers like a CouchDB server without the database {@code _global_changes}. */
    private static void databaseUpdates(Call call, User user) {
        call.allow("GET", "HEAD");
        user.requireAdmin();
        throw new CouchError(404, "not_found", "Database does not exist.");
    }

    private static void activeTasks(Call call, User user) {
        call.allow("GET");
        user.requireAdmin();
        call.answer(200, Json.array());
    }

    private static void membership(Call call, User user) {
        user.requireAdmin();
        var answer = Json.object();
        answer.putArray("all_nodes").add("embedded@127.0.0.1");
        answer.putArray("cluster_nodes").add("embedded@127.0.0.1");
        call.answer(200, answer);
    }

    /** Answers {@code /_node}: a few settings can be read, none can be changed. */
    private static void node(Call call, User user) {
        user.requireAdmin();
        String resource = call.segment(2);
        if (!resource.isEmpty() && (!resource.equals("_config") || !call.is("GET"))) {
            throw NotBuilt.error(call.method() + " of /_node/{node}/" + resource);
        }
        call.allow("GET");
        var all = Json.object();
        all.putObject("couchdb").put("max_document_size", "8000000");
        all.putObject("purge").put("max_document_id_number", "100");
        var wanted = resource.equals("_config") ? at(all, call) : Json.object().put("name", "embedded@127.0.0.1");
        if (wanted.isMissingNode()) {
            throw new CouchError(404, "not_found", "unknown_config_value");
        }
        call.answer(200, wanted);
    }

    private static JsonNode at(JsonNode all, Call call) {
        var at = all;
        for (String name : call.path().subList(3, call.path().size())) {
            at = at.path(name);
        }
        return at;
    }
}
