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
 * Turns a creator's value into the JSON object that a job carries, and back. Thread-safe.
 *
 * <p>Times are written as ISO-8601 strings; properties that a class does not know are ignored. Kotlin's data classes need
 * {@code com.fasterxml.jackson.module:jackson-module-kotlin} on the class path.
 */
public final class JobData {
    /** Data that is attached was written without a limit to the length of names, texts and numbers. */
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

    /** Refuses a NaN, which would become a text. */
    private static final ObjectWriter PLAIN = MAPPER.writer().without(JsonWriteFeature.WRITE_NAN_AS_STRINGS);

    private JobData() {}

    /** Other modules that happen to be there must not change what jobs look like. */
    private static List<Module> kotlin() {
        return ServiceLoader.load(Module.class, JobData.class.getClassLoader()).stream()
                .filter(module -> module.type().getName().equals("com.fasterxml.jackson.module.kotlin.KotlinModule"))
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * Makes a job's data of a value.
     *
     * @param value a record, bean, map or JSON object
     * @return a new JSON object
     * @throws InvalidJobDataException when the value is null or does not become a JSON object, has a NaN or a number beyond 1.8e308 in
     *     it, or more than 499 levels
     */
    public static ObjectNode of(@Nullable Object value) {
        JsonNode tree = tree(value);
        if (tree instanceof ObjectNode object) {
            return object == value ? object.deepCopy() : object;
        }
        throw new InvalidJobDataException("data must be a JSON object, not " + StoredText.of(tree.toString(), 60));
    }

    /**
     * Makes JSON of any value, such as a handler's result.
     *
     * @param value anything that Jackson can write; null becomes JSON's null
     * @return the JSON
     * @throws InvalidJobDataException when Jackson cannot write the value, or it has a NaN or a number beyond 1.8e308 in it,
     *     or more than 499 levels of objects and arrays
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
        } catch (StackOverflowError endless) { // lists and maps of any depth, or that contain themselves
            throw tooDeep();
        }
    }

    /**
     * Binds a job's data to a class.
     *
     * @param data the data
     * @param type the class; {@code ObjectNode} takes the data as it is
     * @param <T> the class
     * @return the bound value
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
     * {@return the JSON text, in UTF-8}
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

    /** Comes first: code that goes through a tree by recursion may overflow the stack. */
    private static JsonNode requireShallow(JsonNode tree) {
        if (Nesting.isTooDeep(tree)) {
            throw tooDeep();
        }
        return tree;
    }

    private static InvalidJobDataException tooDeep() {
        return new InvalidJobDataException("data " + Nesting.TOO_DEEP);
    }

    /** The tree as a reading gives it back: a float as a double, for example, and bytes as a text. */
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

    /** One such number in a job would break the write of all that are sent with it: CouchDB refuses the whole request. */
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
