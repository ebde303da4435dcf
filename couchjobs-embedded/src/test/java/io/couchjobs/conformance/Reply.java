package io.couchjobs.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;

/** What a server answered. */
final class Reply {
    private final int status;
    private final HttpHeaders headers;
    private final byte[] bytes;

    Reply(HttpResponse<byte[]> response) {
        status = response.statusCode();
        headers = response.headers();
        bytes = response.body();
    }

    int status() {
        return status;
    }

    byte[] bytes() {
        return bytes;
    }

    JsonNode json() {
        return Json.parse(bytes);
    }

    /** The value at a JSON pointer, a missing node if there is none. */
    JsonNode at(String pointer) {
        return json().at(pointer);
    }

    String text(String pointer) {
        return at(pointer).asText();
    }

    String rev() {
        return text("/rev");
    }

    /** The status with error and reason, as in {@code "409 conflict: Document update conflict."}. */
    String error() {
        return "%d %s: %s".formatted(status, text("/error"), text("/reason"));
    }

    /** The status with the error only, where the reason is free text. */
    String errorKind() {
        return status + " " + text("/error");
    }

    String header(String name) {
        return headers.firstValue(name).orElse("");
    }

    /** The rows of a view, the results of a changes feed, or the array itself. */
    List<JsonNode> rows() {
        JsonNode body = json();
        JsonNode rows = body.isArray() ? body : body.has("rows") ? body.get("rows") : body.path("results");
        return StreamSupport.stream(rows.spliterator(), false).toList();
    }

    List<String> ids() {
        return rows().stream().map(row -> row.path("id").asText()).toList();
    }

    /** The keys of all rows as one array, to compare with a literal. */
    ArrayNode keys() {
        return column("key");
    }

    ArrayNode values() {
        return column("value");
    }

    private ArrayNode column(String field) {
        ArrayNode column = JsonNodeFactory.instance.arrayNode();
        rows().forEach(row -> column.add(row.path(field)));
        return column;
    }

    Reply expect(int... expected) {
        for (int one : expected) {
            if (one == status) {
                return this;
            }
        }
        throw new AssertionError("unexpected answer: " + this);
    }

    @Override
    public String toString() {
        return status + " " + new String(bytes, StandardCharsets.UTF_8);
    }
}
