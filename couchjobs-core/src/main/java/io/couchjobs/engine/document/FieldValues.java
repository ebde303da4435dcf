package io.couchjobs.engine.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The values of the fields of a checked document. A field that is null counts as missing. The values are not copied. */
public record FieldValues(JsonNode document) {
    public Optional<JsonNode> value(String field) {
        return Optional.ofNullable(document.get(field)).filter(value -> !value.isNull());
    }

    public Optional<String> text(String field) {
        return value(field).map(JsonNode::asText);
    }

    public long number(String field, long otherwise) {
        return value(field).map(JsonNode::asLong).orElse(otherwise);
    }

    public int integer(String field, int otherwise) {
        return (int) number(field, otherwise);
    }

    /** {@return the elements of an array, in order; none when the field is missing} */
    public <T> List<T> list(String field, Function<JsonNode, T> read) {
        return document.path(field).valueStream().map(read).toList();
    }

    /** {@return the times in an object of epoch milliseconds, by name and in order; none when the field is missing} */
    public Map<String, Instant> times(String field) {
        Map<String, Instant> times = new LinkedHashMap<>();
        document.path(field)
                .properties()
                .forEach(time -> times.put(
                        time.getKey(), Instant.ofEpochMilli(time.getValue().asLong())));
        return times;
    }
}
