package io.couchjobs.engine.couch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes JSON. Integers of any size and doubles are exact (CouchDB itself stores fractions as doubles). Duplicate
 * keys, NaN and deep nesting are not supported. The encoding is UTF-8; input that looks like UTF-16 or UTF-32 is invalid. The
 * mapper accepts further input after a value, as in a feed; callers that expect a single value must check its end.
 */
public final class Json {

    /** Deeper levels are omitted when JSON is read, because trees are processed recursively. */
    static final int DEEPEST_READ = 900;

    /** Less than {@link #DEEPEST_READ}, so that a document with omitted levels is never written back. */
    private static final int DEEPEST_WRITTEN = 800;

    /** The default size limit of CouchDB's documents; a lower limit could make a whole answer fail because of one name. */
    private static final int LONGEST_NAME = 8 << 20;

    public static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .disable(JsonFactory.Feature.CHARSET_DETECTION)
                    .streamWriteConstraints(StreamWriteConstraints.builder()
                            .maxNestingDepth(DEEPEST_WRITTEN)
                            .build())
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNameLength(LONGEST_NAME)
                            .build())
                    .addDecorator((factory, generator) -> new FiniteNumbers(generator))
                    .build())
            .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .build();

    /** The limit of tokens per answer. Each token takes 100 bytes of memory or more, however short it is in the answer. */
    private static final long MOST_TOKENS = 10_000_000;

    private static final JsonFactory FOR_ANSWERS = MAPPER.getFactory()
            .rebuild()
            .streamReadConstraints(MAPPER.getFactory()
                    .streamReadConstraints()
                    .rebuild()
                    .maxTokenCount(MOST_TOKENS)
                    .build())
            .build();

    private Json() {}

    /** Writes JSON to a generator. */
    @FunctionalInterface
    public interface Writing {
        void to(JsonGenerator out) throws IOException;
    }

    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    public static JsonNode value(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Returns a parser for one answer, with a limited number of tokens. */
    static JsonParser parser(InputStream answer) throws IOException {
        return FOR_ANSWERS.createParser(new ShallowInput(answer, DEEPEST_READ));
    }

    /** Returns a parser for a feed, which may have any length. */
    public static JsonParser feedParser(InputStream feed) throws IOException {
        return MAPPER.createParser(new ShallowInput(feed, DEEPEST_READ));
    }

    public static byte[] bytes(JsonNode node) {
        return bytes(out -> MAPPER.writeTree(out, node));
    }

    /** Writes JSON into memory, so that a failure to write it is detected before the first byte is sent. */
    public static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = MAPPER.createGenerator(bytes)) {
            writing.to(out);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not to be written as JSON: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Returns a field as text; empty when it is missing. Numbers are converted, because feed positions are numbers on some
     * servers.
     */
    public static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isContainerNode() ? value.toString() : value.asText("");
    }

    public static Optional<String> optionalText(JsonNode node, String field) {
        return Optional.of(text(node, field)).filter(text -> !text.isEmpty());
    }

    public static List<String> texts(JsonNode array) {
        return array.valueStream().map(JsonNode::asText).toList();
    }
}
