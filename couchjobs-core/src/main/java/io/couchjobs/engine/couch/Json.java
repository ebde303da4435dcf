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
 * JSON as the client reads and writes it: integers of any size and doubles exactly as they are (CouchDB itself keeps
 * fractions as doubles), no duplicate keys, no NaN, no deep nesting, and only UTF-8: input that looks like UTF-16 or
 * UTF-32 is garbage. The reader checks whether more input follows, as it does in a feed.
 */
public final class Json {

    /** Deeper levels are left out when JSON is read, because trees are processed by recursion. */
    static final int DEEPEST_READ = 900;

    /** Less than the depth that is read, so that a document with levels left out is never written back. */
    private static final int DEEPEST_WRITTEN = 800;

    /** As long as a document of CouchDB can be by default: a longer name would make the whole answer fail. */
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

    /** Each token becomes an object of 100 bytes or more in memory, however short it is in the answer. */
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

    /** Writes JSON bit by bit. */
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

    /** For one answer. */
    static JsonParser parser(InputStream answer) throws IOException {
        return FOR_ANSWERS.createParser(new ShallowInput(answer, DEEPEST_READ));
    }

    /** A parser for a feed, which may be of any length. */
    public static JsonParser feedParser(InputStream feed) throws IOException {
        return MAPPER.createParser(new ShallowInput(feed, DEEPEST_READ));
    }

    public static byte[] bytes(JsonNode node) {
        return bytes(out -> MAPPER.writeTree(out, node));
    }

    /** In memory: a failure to write JSON must show before the first byte is sent. */
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

    /** A field as text, numbers too: positions are numbers on some servers. Empty when missing. */
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
