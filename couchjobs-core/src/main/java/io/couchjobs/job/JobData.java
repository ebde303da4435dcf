package io.couchjobs.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.couchjobs.engine.document.Nesting;
import io.couchjobs.engine.document.StoredText;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Converts a creator's value to the JSON object of a job, and back. Thread-safe.
 *
 * <p>Times are written as ISO-8601 strings. Properties unknown to a class are ignored. Kotlin data classes need {@code
 * com.fasterxml.jackson.module:jackson-module-kotlin} on the class path.
 */
public final class JobData {
    /** No limits when reading, because attached data is written without a limit on the length of names, strings and numbers. */
    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .addModule(new JavaTimeModule())
            .addModule(new Jdk8Module())
            .addModules(kotlin())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    /** Refuses NaN, which would otherwise be written as a string. */
    private static final ObjectWriter PLAIN = MAPPER.writer().without(JsonWriteFeature.WRITE_NAN_AS_STRINGS);

    private JobData() {}

    /** Loads only the Kotlin module: other modules on the class path must not change the format of jobs. */
    private static List<Module> kotlin() {
        return ServiceLoader.load(Module.class, JobData.class.getClassLoader()).stream()
                .filter(module -> module.type().getName().equals("com.fasterxml.jackson.module.kotlin.KotlinModule"))
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * Converts a value to a job's data.
     *
     * @param value a record, bean, map or JSON object
     * @return a new JSON object
     * @throws InvalidJobDataException when the value is null or does not become a JSON object, or contains NaN, a number beyond
     *     1.8e308 or more than 499 levels of nesting
     */
    public static ObjectNode of(@Nullable Object value) {
        JsonNode tree = tree(value);
        if (tree instanceof ObjectNode object) {
            return object == value ? object.deepCopy() : object;
        }
        throw new InvalidJobDataException("data must be a JSON object, not " + StoredText.of(tree.toString(), 60));
    }

    /**
     * Converts any value, such as a handler's result, to JSON.
     *
     * @param value anything that Jackson can write; null becomes JSON's null
     * @return the JSON
     * @throws InvalidJobDataException when Jackson cannot write the value, or it contains NaN, a number beyond 1.8e308 or more than
     *     499 levels of nesting
     */
    public static JsonNode tree(@Nullable Object value) {
        try {
            JsonNode tree = value instanceof JsonNode node ? node : MAPPER.valueToTree(value);
            return tree == null ? MAPPER.nullNode() : requireFinite(asReadBack(requireShallow(tree)));
        } catch (IllegalArgumentException cannotBeWritten) {
            throw new InvalidJobDataException("data cannot be written as JSON: " + cannotBeWritten.getMessage());
        } catch (IOException cannotBeWritten) {
            throw new InvalidJobDataException(
                    "data cannot be written as JSON: " + firstLine(String.valueOf(cannotBeWritten.getMessage())));
        } catch (StackOverflowError endless) { // very deep or self-containing lists and maps
            throw tooDeep();
        }
    }

    /**
     * Converts a job's data to a class.
     *
     * @param data the data
     * @param type the class; {@code ObjectNode} for the raw JSON
     * @param <T> the class
     * @return the converted value
     * @throws InvalidJobDataException when the data does not fit the class
     */
    public static <T> T bind(ObjectNode data, Class<T> type) {
        return bind(data, javaType(type));
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // JavaType has no type parameter; JobType has
    static <T> T bind(ObjectNode data, JavaType type) {
        try {
            return MAPPER.treeToValue(data, type);
        } catch (JsonProcessingException | IllegalArgumentException doesNotFit) {
            throw new InvalidJobDataException("data does not fit " + type.toCanonical() + ": "
                    + firstLine(String.valueOf(doesNotFit.getMessage())));
        }
    }

    static JavaType javaType(Type type) {
        return MAPPER.constructType(type);
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /**
     * {@return the data as JSON text in UTF-8}
     *
     * @param data the data
     */
    public static byte[] bytes(ObjectNode data) {
        try {
            return MAPPER.writeValueAsBytes(data);
        } catch (JsonProcessingException cannotBeWritten) {
            throw new InvalidJobDataException("data cannot be written as JSON: " + cannotBeWritten.getMessage());
        }
    }

    static ObjectNode parse(byte[] json) throws IOException {
        if (MAPPER.readTree(json) instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidJobDataException("it is something else");
    }

    /** Must be called first, because code that traverses a tree recursively may overflow the stack. */
    private static JsonNode requireShallow(JsonNode tree) {
        if (Nesting.isTooDeep(tree)) {
            throw tooDeep();
        }
        return tree;
    }

    private static InvalidJobDataException tooDeep() {
        return new InvalidJobDataException("data " + Nesting.TOO_DEEP);
    }

    /** Returns the tree as it will be read back: for example, a float as a double, and bytes as a string. */
    private static JsonNode asReadBack(JsonNode tree) throws IOException {
        return isReadBackAlike(tree) ? tree : requireShallow(MAPPER.readTree(PLAIN.writeValueAsBytes(tree)));
    }

    private static boolean isReadBackAlike(JsonNode tree) {
        boolean isAlike = tree.isContainerNode()
                || tree.isTextual()
                || tree.isDouble()
                || tree.isIntegralNumber()
                || tree.isBoolean()
                || tree.isNull();
        return isAlike && tree.valueStream().allMatch(JobData::isReadBackAlike);
    }

    /** Checks each number, because a single infinite number or NaN would make CouchDB refuse the whole bulk request. */
    private static JsonNode requireFinite(JsonNode tree) {
        if (tree.isNumber() && !Double.isFinite(tree.doubleValue())) {
            throw new InvalidJobDataException(
                    "CouchDB stores numbers up to 1.8e308 and no NaN, so data cannot have this one: "
                            + StoredText.of(tree.toString(), 60));
        }
        tree.forEach(JobData::requireFinite);
        return tree;
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("");
    }
}
