package io.couchjobs.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON as tests write it: single quotes, bare field names and line breaks in strings are welcome. */
final class Json {
    private static final JsonMapper STRICT = new JsonMapper();
    private static final JsonMapper RELAXED = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
            .build();

    private Json() {}

    static JsonNode json(String literal) {
        try {
            return RELAXED.readTree(literal);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode object(String literal) {
        return (ObjectNode) json(literal);
    }

    static ObjectNode object() {
        return STRICT.createObjectNode();
    }

    /** Any value as a JSON text: a string comes back quoted and escaped. */
    static String quoted(Object value) {
        return STRICT.valueToTree(value).toString();
    }

    static JsonNode parse(byte[] bytes) {
        try {
            return STRICT.readTree(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
