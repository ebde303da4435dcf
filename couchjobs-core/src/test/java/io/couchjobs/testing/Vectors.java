package io.couchjobs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.JsonNumbers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * The test vectors of the document protocol, which clients in other languages use too. Each case of a file has what goes in, and
 * {@code expect}. With {@code -Dcouchjobs.vectors.write=true} what the classes say is written in place of what was expected.
 */
public final class Vectors {
    private static final Path FOLDER = Path.of("../design-docs/vectors");
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final ObjectWriter WRITER = MAPPER.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);
    private static final String EXPECT = "expect";

    private Vectors() {}

    /** A test for each case of a list of a file. */
    public static Stream<DynamicTest> of(String file, String list, Function<ObjectNode, JsonNode> actual) {
        ObjectNode vectors = read(file);
        assertThat(vectors.path("protocol").asInt()).isEqualTo(1);
        List<ObjectNode> cases = new ArrayList<>();
        vectors.path(list).forEach(one -> cases.add((ObjectNode) one));
        assertThat(cases).isNotEmpty();
        if (Boolean.getBoolean("couchjobs.vectors.write")) {
            cases.forEach(one -> one.set(EXPECT, actual.apply(one)));
            write(file, vectors);
        }
        return cases.stream().map(one -> DynamicTest.dynamicTest(name(one), () -> check(one, actual.apply(one))));
    }

    private static void check(ObjectNode one, JsonNode actual) {
        assertThat(one.path(EXPECT).equals(JsonNumbers::compare, plain(actual)))
                .as("expected %s%n but was %s", one.path(EXPECT), actual)
                .isTrue();
    }

    /** As others read it: without the types of numbers that Java tells apart. */
    private static JsonNode plain(JsonNode actual) {
        try {
            return MAPPER.readTree(actual.toString());
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String name(ObjectNode one) {
        ObjectNode input = one.deepCopy();
        input.remove(EXPECT);
        return one.path("name").asText(input.toString());
    }

    private static ObjectNode read(String file) {
        try {
            return (ObjectNode) MAPPER.readTree(FOLDER.resolve(file + ".json").toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line for each field of a case: a change is seen where it is. */
    private static void write(String file, ObjectNode vectors) {
        String text = vectors.properties().stream()
                .map(field -> quoted(field.getKey()) + ": "
                        + (field.getValue().isArray() ? array(field.getValue()) : text(field.getValue())))
                .collect(Collectors.joining(",\n", "{\n", "\n}\n"));
        try {
            Files.writeString(FOLDER.resolve(file + ".json"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String array(JsonNode cases) {
        List<String> lines = new ArrayList<>();
        cases.forEach(one ->
                lines.add(one.properties().stream().map(Vectors::line).collect(Collectors.joining(",\n ", "{", "}"))));
        return lines.stream().collect(Collectors.joining(",\n", "[\n", "\n]"));
    }

    private static String line(Map.Entry<String, JsonNode> field) {
        return quoted(field.getKey()) + ": " + text(field.getValue());
    }

    private static String quoted(String name) {
        return "\"" + name + "\"";
    }

    private static String text(JsonNode value) {
        try {
            return WRITER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
