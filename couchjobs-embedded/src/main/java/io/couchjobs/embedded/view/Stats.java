package io.couchjobs.embedded.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.protocol.Json;

/**
 * Computes {@code _stats} of numbers, of arrays element by element, and of statistics that a map function emits.
 *
 * @see <a href="https://docs.couchdb.org/en/stable/ddocs/ddocs.html#stats">_stats</a>
 */
final class Stats implements Reducer.Total {
    private JsonNode stats = MissingNode.getInstance();

    @Override
    public void add(IndexRow row) {
        JsonNode one = of(Json.parse(row.value()));
        stats = stats.isMissingNode() ? one : plus(stats, one);
    }

    @Override
    public JsonNode result() {
        return stats;
    }

    private static JsonNode of(JsonNode value) {
        if (value.isNumber()) {
            return stats(value, LongNode.valueOf(1), value, value, Totals.square(value));
        }
        if (value.isArray()) {
            ArrayNode each = Json.array();
            value.forEach(one -> each.add(of(one)));
            return each;
        }
        if (!value.isObject()) {
            throw invalid("non-numeric _stats input: " + Json.text(value));
        }
        return stats(
                number(value, "sum"),
                number(value, "count"),
                number(value, "min"),
                number(value, "max"),
                number(value, "sumsqr"));
    }

    private static JsonNode number(JsonNode made, String name) {
        if (!made.path(name).isNumber()) {
            throw invalid("user _stats input missing required field " + name + " (" + Json.text(made) + ")");
        }
        return made.get(name);
    }

    private static JsonNode plus(JsonNode left, JsonNode right) {
        if (left.isArray() && right.isArray() && left.size() == right.size()) {
            ArrayNode each = Json.array();
            for (int i = 0; i < left.size(); i++) {
                each.add(plus(left.get(i), right.get(i)));
            }
            return each;
        }
        if (left.isArray() || right.isArray()) {
            throw invalid("_stats input is not of one shape: " + Json.text(left) + ", " + Json.text(right));
        }
        JsonNode lower = left.get("min").doubleValue() <= right.get("min").doubleValue() ? left : right;
        JsonNode higher = left.get("max").doubleValue() >= right.get("max").doubleValue() ? left : right;
        return stats(
                Totals.plusNumber(left.get("sum"), right.get("sum")),
                Totals.plusNumber(left.get("count"), right.get("count")),
                lower.get("min"),
                higher.get("max"),
                Totals.plusNumber(left.get("sumsqr"), right.get("sumsqr")));
    }

    private static ObjectNode stats(JsonNode sum, JsonNode count, JsonNode min, JsonNode max, JsonNode squares) {
        ObjectNode stats = Json.object();
        stats.set("sum", sum);
        stats.set("count", count);
        stats.set("min", min);
        stats.set("max", max);
        stats.set("sumsqr", squares);
        return stats;
    }

    private static CouchError invalid(String reason) {
        return new CouchError(500, "invalid_value", reason);
    }
}
