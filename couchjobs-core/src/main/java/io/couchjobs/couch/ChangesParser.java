package io.couchjobs.couch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.engine.couch.Answer;
import io.couchjobs.engine.couch.Json;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Parses a changes feed row by row as it arrives. A continuous feed is a sequence of rows. The other feeds are one object
 * with the rows in {@code results}. Heartbeats are white space between the rows.
 */
final class ChangesParser {

    private final Answer answer;
    private final JsonParser parser;
    private final boolean continuous;
    private String lastSeq;
    private boolean inResults;

    ChangesParser(Answer answer, JsonParser parser, ChangesRequest request) {
        this.answer = answer;
        this.parser = parser;
        this.continuous = request.feed() == ChangesRequest.Feed.CONTINUOUS;
        this.lastSeq = request.since();
    }

    /** Waits for the next row; empty at the end. */
    Optional<Change> next() throws IOException {
        if (!continuous && !inResults) {
            openResults();
        }
        JsonToken token = parser.nextToken();
        if (token == JsonToken.START_OBJECT) {
            ObjectNode row = Json.MAPPER.readTree(parser);
            return row.has("last_seq") ? ended(row) : Optional.of(change(row));
        }
        if (!continuous && token == JsonToken.END_ARRAY) {
            readRest();
        } else if (!continuous || token != null) {
            throw answer.unusable("it is no feed of changes");
        }
        return Optional.empty();
    }

    /** Returns the position after the last row that was read. */
    String lastSeq() {
        return lastSeq;
    }

    private void openResults() throws IOException {
        boolean opens = parser.nextToken() == JsonToken.START_OBJECT
                && "results".equals(parser.nextFieldName())
                && parser.nextToken() == JsonToken.START_ARRAY;
        if (!opens) {
            throw answer.unusable("it is no list of changes");
        }
        inResults = true;
    }

    private void readRest() throws IOException {
        ObjectNode rest = Json.object();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            rest.set(name, Json.MAPPER.<JsonNode>readTree(parser));
        }
        if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
            throw answer.unusable("there is something behind the changes");
        }
        ended(rest);
    }

    private Optional<Change> ended(ObjectNode end) {
        failOnError(end);
        lastSeq = Json.optionalText(end, "last_seq").orElse(lastSeq);
        return Optional.empty();
    }

    private Change change(ObjectNode row) {
        failOnError(row);
        String id = Json.optionalText(row, "id").orElseThrow(() -> answer.unusable("a change without an id"));
        lastSeq = row.hasNonNull("seq") ? Json.text(row, "seq") : lastSeq; // a cluster may omit positions
        return new Change(
                lastSeq,
                id,
                revs(row),
                row.path("deleted").asBoolean(),
                row.get("doc") instanceof ObjectNode doc ? doc : null);
    }

    private void failOnError(ObjectNode row) {
        if (row.has("error") && !row.has("id")) {
            throw answer.unusable("the server broke off: " + Json.text(row, "error") + " " + Json.text(row, "reason"));
        }
    }

    private static List<String> revs(ObjectNode row) {
        return row.path("changes")
                .valueStream()
                .map(leaf -> Json.text(leaf, "rev"))
                .toList();
    }
}
