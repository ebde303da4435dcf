package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.embedded.store.Doc;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Handles {@code _bulk_get} in a cluster. Reads all leaves by quorum, but named revisions from the node's own copies. */
final class ClusterBulkGet {
    private ClusterBulkGet() {}

    static void read(Call call, ClusterNode node, String database) throws IOException {
        call.allow("POST");
        List<JsonNode> wanted = BulkHandler.wanted(call);
        if (wanted.stream().anyMatch(one -> one.has("rev"))) {
            node.requireAlive();
            BulkHandler.read(call, node.own(database), wanted);
            return;
        }
        List<String> ids = new ArrayList<>();
        wanted.forEach(one -> ids.add(one.path("id").asText()));
        List<List<Doc>> leaves = node.ask(database, (at, then) -> at.leavesOfAll(ids, then));
        ObjectNode answer = Json.object();
        ArrayNode results = answer.putArray("results");
        for (int i = 0; i < ids.size(); i++) {
            results.add(result(call, node.own(database), ids.get(i), leaves.get(i)));
        }
        call.answer(200, answer);
    }

    private static ObjectNode result(Call call, Database own, String id, List<Doc> leaves) {
        ObjectNode result = Json.object().put("id", id);
        ArrayNode docs = result.putArray("docs");
        if (leaves.isEmpty()) {
            ObjectNode error = docs.addObject().putObject("error").put("id", id).put("rev", "undefined");
            error.setAll(DocumentHandler.error(CouchError.missing()));
        }
        leaves.forEach(leaf -> docs.addObject().set("ok", DocShape.of(call).json(own, leaf)));
        return result;
    }
}
