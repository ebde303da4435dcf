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
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * JSON as the client reads and writes it: integers of any size and doubles exactly as they are (CouchDB itself keeps
 * fractions as doubles), no duplicate keys, no NaN, nothing that is nested too deeply, and
 * nothing but UTF-8: what looks like UTF-16 or UTF-32 is garbage. Whether something follows is for the reader to check: in a feed it does.
 */
public final class Json {

    /** Of what is read, what lies deeper is left out: a tree is gone through by recursion. */
    static final int DEEPEST_READ = 900;

    /** Less than what of a document is read at least, so that one of which something was left out is never written back. */
    private static final int DEEPEST_WRITTEN = 800;

    /** As long as a document of CouchDB can be by default: one with a longer name would cost the answer that it is in. */
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

    /** Each becomes an object in memory, of 100 bytes and more, however short it is in the answer. */
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

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    public static JsonNode value(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** For one answer. */
    static JsonParser parser(InputStream answer) throws IOException {
        return FOR_ANSWERS.createParser(new ShallowInput(answer, DEEPEST_READ));
    }

    /** For a feed, which may be as long as it likes. */
    public static JsonParser feedParser(InputStream feed) throws IOException {
        return MAPPER.createParser(new ShallowInput(feed, DEEPEST_READ));
    }

    public static byte[] bytes(JsonNode node) {
        return bytes(out -> MAPPER.writeTree(out, node));
    }

    /** In memory: what cannot be written must be known before the first byte is on its way. */
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
        List<String> texts = new ArrayList<>();
        array.forEach(element -> texts.add(element.asText()));
        return texts;
    }
}
