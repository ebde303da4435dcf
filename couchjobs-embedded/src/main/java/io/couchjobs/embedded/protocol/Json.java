package io.couchjobs.embedded.protocol;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NumericNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads and writes JSON with one shared mapper. Thread-safe. */
public final class Json {
    private static final int LONGEST = 64 << 20;

    /** CouchDB has no such limit. This server needs one because it walks documents recursively. */
    private static final int DEEPEST = 1_200;

    /** Higher than {@link #DEEPEST}, because an answer has a few levels around a document. */
    private static final int DEEPEST_ANSWER = DEEPEST + 100;

    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CHARSET_DETECTION) // CouchDB accepts only UTF-8
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .nodeFactory(new FiniteNumbers())
            .build();

    static {
        MAPPER.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(LONGEST)
                        .maxNumberLength(10_000)
                        .maxNameLength(LONGEST)
                        .maxNestingDepth(DEEPEST)
                        .build());
        MAPPER.getFactory()
                .setStreamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(DEEPEST_ANSWER)
                        .build());
        MAPPER.getFactory().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        MAPPER.getFactory().disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
    }

    private Json() {}

    /** Refuses numbers that do not fit into a double, like CouchDB. */
    private static final class FiniteNumbers extends JsonNodeFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public NumericNode numberNode(double number) {
            if (!Double.isFinite(number)) {
                throw CouchError.badRequest("invalid UTF-8 JSON");
            }
            return super.numberNode(number);
        }
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    /** Parses a client's JSON. Throws a bad-request error unless the bytes are exactly one JSON value. */
    public static JsonNode parse(byte[] bytes) {
        try {
            return checked(MAPPER.readTree(bytes));
        } catch (IOException e) {
            throw CouchError.badRequest("invalid UTF-8 JSON");
        }
    }

    /** Parses a request body like {@link #parse(byte[])}. Like CouchDB, refuses unpaired surrogates, which UTF-8 cannot encode. */
    public static JsonNode parseBody(byte[] bytes) {
        JsonNode body = parse(bytes);
        requireWholePairs(body);
        return body;
    }

    private static void requireWholePairs(JsonNode value) {
        if (value.isTextual()) {
            requireWholePairs(value.textValue());
        }
        value.fieldNames().forEachRemaining(Json::requireWholePairs);
        value.forEach(Json::requireWholePairs);
    }

    private static void requireWholePairs(String text) {
        if (text.codePoints().anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)) {
            throw CouchError.badRequest("invalid UTF-8 JSON");
        }
    }

    /** Parses a value of a query string like {@link #parse(byte[])}. */
    public static JsonNode parse(String text) {
        try {
            return checked(MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            throw CouchError.badRequest("invalid UTF-8 JSON");
        }
    }

    private static JsonNode checked(JsonNode value) {
        if (value.isMissingNode()) {
            throw CouchError.badRequest("invalid UTF-8 JSON");
        }
        return value;
    }

    public static ObjectNode parseObject(byte[] bytes, String otherwise) {
        return asObject(parse(bytes), otherwise);
    }

    public static ObjectNode asObject(JsonNode value, String otherwise) {
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw CouchError.badRequest(otherwise);
    }

    public static byte[] bytes(JsonNode value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static String text(JsonNode value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
