package io.couchjobs.cli.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.PathType;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Checks documents by their JSON Schemas, each of which is read when it is first needed. Thread-safe. */
public final class DocumentSchemas {
    private static final int MOST_NAMED = 3;
    private static final int LONGEST_VALUE = 60;
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
    private static final SchemaValidatorsConfig CONFIG = SchemaValidatorsConfig.builder()
            .locale(Locale.ENGLISH)
            .pathType(PathType.JSON_POINTER)
            .build();
    private static final Map<String, JsonSchema> SCHEMAS = new ConcurrentHashMap<>();

    private DocumentSchemas() {}

    /**
     * Finds what is wrong with a document.
     *
     * @param kind the name of the schema, such as {@code job} or {@code type}
     * @param document the document
     * @return the wrong fields with their values; empty when nothing is wrong
     */
    public static Optional<String> problem(String kind, JsonNode document) {
        String problems = SCHEMAS.computeIfAbsent(kind, DocumentSchemas::read).validate(document).stream()
                .limit(MOST_NAMED)
                .map(message -> told(kind, message))
                .collect(Collectors.joining("; "));
        return Optional.of(problems).filter(text -> !text.isEmpty());
    }

    private static String told(String kind, ValidationMessage message) {
        String field = message.getInstanceLocation().toString().replaceFirst("^/", "");
        // The library's messages begin with the location.
        String rule = kind.equals("job") && field.equals("_id")
                ? "it is not of the form job:TYPE:ID"
                : message.getMessage().replaceFirst("^[^:]*: ", "");
        String value = String.valueOf(message.getInstanceNode());
        String shown = value.length() <= LONGEST_VALUE ? value : value.substring(0, LONGEST_VALUE) + "...";
        return field.isEmpty() ? rule : field + " is " + shown + ": " + rule;
    }

    private static JsonSchema read(String kind) {
        String resource = "/io/couchjobs/design-docs/schema/" + kind + ".schema.json";
        try (InputStream in = DocumentSchemas.class.getResourceAsStream(resource)) {
            return FACTORY.getSchema(new JsonMapper().readTree(in), CONFIG);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
