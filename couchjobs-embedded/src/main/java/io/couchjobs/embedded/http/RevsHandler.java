package io.couchjobs.embedded.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;
import io.couchjobs.embedded.tree.RevTree;
import io.couchjobs.embedded.tree.Revision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tells replicators which revisions are missing, and purges revisions. */
final class RevsHandler {
    private static final int MOST_PURGED = 100;

    void register(Map<String, DbHandler> handlers) {
        handlers.put("_revs_diff", RevsHandler::diff);
        handlers.put("_missing_revs", RevsHandler::missing);
        handlers.put("_purge", RevsHandler::purge);
    }

    private static void diff(Call call, Db db) {
        call.allow("POST");
        ObjectNode answer = Json.object();
        for (Map.Entry<String, JsonNode> asked : call.jsonObject().properties()) {
            RevTree tree = db.database().tree(asked.getKey());
            List<Revision> unknown = unknown(tree, asked.getValue());
            if (!unknown.isEmpty()) {
                ObjectNode one = answer.putObject(asked.getKey());
                addAll(one.putArray("missing"), unknown);
                int highest = unknown.stream().mapToInt(Revision::pos).max().orElse(0);
                List<Revision> ancestors = tree.possibleAncestors(highest);
                if (!ancestors.isEmpty()) {
                    addAll(one.putArray("possible_ancestors"), ancestors);
                }
            }
        }
        call.answer(200, answer);
    }

    private static void missing(Call call, Db db) {
        call.allow("POST");
        ObjectNode answer = Json.object();
        ObjectNode missing = answer.putObject("missing_revs");
        for (Map.Entry<String, JsonNode> asked : call.jsonObject().properties()) {
            List<Revision> unknown = unknown(db.database().tree(asked.getKey()), asked.getValue());
            if (!unknown.isEmpty()) {
                addAll(missing.putArray(asked.getKey()), unknown);
            }
        }
        call.answer(200, answer);
    }

    private static List<Revision> unknown(RevTree tree, JsonNode revs) {
        return revisions(revs).stream().filter(rev -> tree.find(rev).isEmpty()).toList();
    }

    private static List<Revision> revisions(JsonNode revs) {
        if (!revs.isArray()) {
            throw CouchError.badRequest("Invalid list of revisions");
        }
        List<Revision> list = new ArrayList<>();
        revs.forEach(rev -> list.add(Revision.parse(rev.asText())));
        return list;
    }

    private static void addAll(ArrayNode array, List<Revision> revs) {
        revs.forEach(rev -> array.add(rev.toString()));
    }

    private static void purge(Call call, Db db) {
        call.allow("POST");
        ObjectNode request = call.jsonObject();
        if (request.size() > MOST_PURGED) {
            throw CouchError.badRequest("Exceeded maximum number of documents.");
        }
        ObjectNode answer = Json.object().putNull("purge_seq");
        ObjectNode purged = answer.putObject("purged");
        for (Map.Entry<String, JsonNode> asked : request.properties()) {
            List<Revision> gone = db.database().purge(asked.getKey(), revisions(asked.getValue()));
            addAll(purged.putArray(asked.getKey()), gone);
        }
        call.answer(201, answer);
    }
}
