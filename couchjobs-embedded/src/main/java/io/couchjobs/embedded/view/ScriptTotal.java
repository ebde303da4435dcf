package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.couchjobs.embedded.protocol.Json;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A total by a JavaScript function: reduces chunks of rows, and then their results. */
final class ScriptTotal implements Reducer.Total {
    private static final Logger LOG = LoggerFactory.getLogger(ScriptTotal.class);
    private static final int CHUNK = 500;

    private final Script script;
    private final ArrayNode partial = Json.array();
    private ArrayNode keys = Json.array();
    private ArrayNode values = Json.array();

    ScriptTotal(Script script) {
        this.script = script;
    }

    @Override
    public void add(IndexRow row) {
        keys.add(Json.array().add(Json.parse(row.key())).add(row.id()));
        values.add(Json.parse(row.value()));
        if (keys.size() == CHUNK) {
            reduceChunk();
        }
    }

    private void reduceChunk() {
        partial.add(reduce(keys, values, false));
        keys = Json.array();
        values = Json.array();
    }

    @Override
    public JsonNode result() {
        if (!keys.isEmpty()) {
            reduceChunk();
        }
        return partial.size() == 1 ? partial.get(0) : reduce(NullNode.getInstance(), partial, true);
    }

    /** Calls the function. As in CouchDB, a failure is only logged, and the total is null. */
    private JsonNode reduce(JsonNode someKeys, JsonNode someValues, boolean rereduce) {
        try {
            return script.reduce(someKeys, someValues, rereduce);
        } catch (ScriptFailure e) {
            LOG.info("A reduce function failed, its result is null: {}", e.getMessage());
            return NullNode.getInstance();
        }
    }
}
