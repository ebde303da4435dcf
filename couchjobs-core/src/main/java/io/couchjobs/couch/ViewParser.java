package io.couchjobs.couch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses the answers of views. Stateless. */
final class ViewParser {
    private ViewParser() {}

    static ViewResult one(Answer answer) throws IOException {
        return result(answer, answer.object());
    }

    static List<ViewResult> several(Answer answer) throws IOException {
        ObjectNode all = answer.object();
        requireWhole(answer, all);
        List<ViewResult> results = new ArrayList<>();
        for (JsonNode result : array(answer, all, "results")) {
            results.add(result(answer, result));
        }
        return results;
    }

    private static ViewResult result(Answer answer, JsonNode result) {
        requireWhole(answer, result);
        List<ViewResult.Row> rows = new ArrayList<>();
        for (JsonNode row : array(answer, result, "rows")) {
            rows.add(row(answer, row));
        }
        return new ViewResult(
                result.path("total_rows").asLong(-1), result.path("offset").asLong(-1), rows);
    }

    private static ViewResult.Row row(Answer answer, JsonNode row) {
        if (!row.isObject()) {
            throw answer.unusable("one of its rows is no object");
        }
        return new ViewResult.Row(
                Json.optionalText(row, "id").orElse(null),
                orNull(row.get("key")),
                orNull(row.get("value")),
                row.get("doc") instanceof ObjectNode doc ? doc : null,
                Json.optionalText(row, "error"));
    }

    private static void requireWhole(Answer answer, JsonNode result) {
        if (result.has("error")) {
            throw answer.unusable("the server broke off: " + result.get("error").asText());
        }
    }

    private static JsonNode array(Answer answer, JsonNode result, String name) {
        JsonNode array = result.path(name);
        if (!array.isArray()) {
            throw answer.unusable("it has no " + name);
        }
        return array;
    }

    private static JsonNode orNull(@Nullable JsonNode node) {
        return Optional.ofNullable(node).orElse(NullNode.getInstance());
    }
}
