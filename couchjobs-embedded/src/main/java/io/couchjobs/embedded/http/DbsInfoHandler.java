package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;

/** {@code _dbs_info}: several databases as a whole, by their names. */
final class DbsInfoHandler implements Handler {
    private static final int MOST = 100;

    private final Databases databases;

    DbsInfoHandler(Databases databases) {
        this.databases = databases;
    }

    @Override
    public void handle(Call call, User user) {
        call.allow("POST");
        JsonNode keys = call.jsonObjectOrNone().path("keys");
        if (!keys.isArray()) {
            throw CouchError.badRequest("`keys` member must exist.");
        } else if (keys.size() > MOST) {
            throw CouchError.badRequest("`keys` member exceeds the maximum allowed number of keys: " + MOST);
        }
        ArrayNode infos = Json.array();
        keys.forEach(key -> infos.add(info(key.asText(), user)));
        call.answer(200, infos);
    }

    private ObjectNode info(String name, User user) {
        ObjectNode entry = Json.object().put("key", name);
        try {
            entry.set("info", DatabaseHandler.info(databases.open(name, user).database()));
        } catch (CouchError absent) {
            entry.put("error", "not_found");
        }
        return entry;
    }
}
