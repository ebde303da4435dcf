package io.couchjobs.couch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * JSON as the client reads and writes it: integers of any size and doubles exactly as they are (CouchDB itself keeps
 * fractions as doubles), no duplicate keys, nothing after the end.
 */
final class Json {

    static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .disable(JsonParser.Feature.AUTO_CLOSE_SOURCE)
            .build();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static JsonNode value(Object value) {
        return MAPPER.valueToTree(value);
    }
}
