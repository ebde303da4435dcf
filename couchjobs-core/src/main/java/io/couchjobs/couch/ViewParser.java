package io.couchjobs.couch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
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

/** Reads the answers of views row by row, never as a whole tree. */
final class ViewParser {

    private final Answer answer;
    private final JsonParser parser;

    private ViewParser(Answer answer, JsonParser parser) {
        this.answer = answer;
        this.parser = parser;
    }

    static ViewResult one(Answer answer) throws IOException {
        try (JsonParser parser = answer.parser()) {
            ViewParser views = new ViewParser(answer, parser);
            views.expect(JsonToken.START_OBJECT, parser.nextToken());
            ViewResult result = views.result();
            views.expect(null, parser.nextToken());
            return result;
        }
    }

    static List<ViewResult> several(Answer answer) throws IOException {
        try (JsonParser parser = answer.parser()) {
            ViewParser views = new ViewParser(answer, parser);
            views.expect(JsonToken.START_OBJECT, parser.nextToken());
            List<ViewResult> results = views.results();
            views.expect(null, parser.nextToken());
            return results;
        }
    }

    private List<ViewResult> results() throws IOException {
        List<ViewResult> results = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = fieldName();
            if (!name.equals("results")) {
                failOnError(name, Json.MAPPER.readTree(parser));
                continue;
            }
            expect(JsonToken.START_ARRAY, parser.currentToken());
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                expect(JsonToken.START_OBJECT, parser.currentToken());
                results.add(result());
            }
        }
        return results;
    }

    private ViewResult result() throws IOException {
        long totalRows = -1;
        long offset = -1;
        List<ViewResult.Row> rows = null;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = fieldName();
            switch (name) {
                case "rows" -> rows = rows();
                case "total_rows" -> totalRows = number();
                case "offset" -> offset = number();
                default -> failOnError(name, Json.MAPPER.readTree(parser));
            }
        }
        if (rows == null) {
            throw answer.unusable("it has no rows");
        }
        return new ViewResult(totalRows, offset, rows);
    }

    private List<ViewResult.Row> rows() throws IOException {
        expect(JsonToken.START_ARRAY, parser.currentToken());
        List<ViewResult.Row> rows = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(JsonToken.START_OBJECT, parser.currentToken());
            rows.add(row(Json.MAPPER.readTree(parser)));
        }
        return rows;
    }

    private ViewResult.Row row(JsonNode row) {
        return new ViewResult.Row(
                Json.optionalText(row, "id").orElse(null),
                orNull(row.get("key")),
                orNull(row.get("value")),
                row.get("doc") instanceof ObjectNode doc ? doc : null,
                Json.optionalText(row, "error"));
    }

    private String fieldName() throws IOException {
        expect(JsonToken.FIELD_NAME, parser.currentToken());
        String name = parser.currentName();
        parser.nextToken();
        return name;
    }

    private long number() throws IOException {
        return parser.currentToken() == JsonToken.VALUE_NULL ? -1 : parser.getLongValue();
    }

    private void failOnError(String name, JsonNode value) {
        if (name.equals("error")) {
            throw answer.unusable("the server broke off: " + value.asText());
        }
    }

    private void expect(@Nullable JsonToken expected, @Nullable JsonToken found) {
        if (expected != found) {
            throw answer.unusable("it is no answer of a view");
        }
    }

    private static JsonNode orNull(@Nullable JsonNode node) {
        return Optional.ofNullable(node).orElse(NullNode.getInstance());
    }
}
