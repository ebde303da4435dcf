package io.couchjobs.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.couchjobs.engine.document.DocIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The JSON Schemas of the document protocol, and the kind of document that each is for. */
public final class Schemas {
    private static final Path FOLDER = Path.of("../design-docs/schema");
    private static final String SUFFIX = ".schema.json";
    private static final Pattern KIND = Pattern.compile(
            "(type|worker|slot|rate|schedule|trigger|follow|scope|log):.*|_local/couchjobs-(site|gc|probe).*",
            Pattern.DOTALL);
    private static final Map<String, JsonSchema> BY_KIND = read();

    private Schemas() {}

    /** The kinds that have a schema. */
    public static List<String> kinds() {
        return List.copyOf(BY_KIND.keySet());
    }

    /** The name of the schema for a document; the document's own id when it is of no known kind. */
    public static String kindOf(JsonNode document) {
        String id = document.path("_id").asText();
        boolean deleted = document.path("_deleted").asBoolean();
        if (id.startsWith(DocIds.JOB)) {
            return deleted ? "tombstone" : "job";
        } else if (deleted && !document.has("pid")) {
            return "deleted";
        } else if (id.startsWith(DocIds.GC)) {
            return "gc-lease";
        } else if (id.startsWith(DocIds.STATS)) {
            return statsOf(id);
        }
        Matcher kind = KIND.matcher(id);
        if (!kind.matches()) {
            return document.has("fences") ? "fenced" : id;
        }
        return kind.group(1) != null ? kind.group(1) : "local-" + kind.group(2);
    }

    private static String statsOf(String id) {
        if (id.startsWith("stats:alarm:")) {
            return "stats-alarm";
        } else if (id.startsWith("stats:worker:")) {
            return "stats-worker";
        }
        return id.startsWith("T", 16) ? "stats-hour" : "stats-day";
    }

    /** What is wrong with a document by the schema of its kind; nothing when all is well. */
    public static List<String> problems(JsonNode document) {
        JsonSchema schema = BY_KIND.get(kindOf(document));
        if (schema == null) {
            return List.of("there is no schema for " + document);
        }
        return schema.validate(document).stream()
                .map(ValidationMessage::getMessage)
                .map(problem -> problem + " in " + document)
                .toList();
    }

    private static Map<String, JsonSchema> read() {
        JsonSchemaFactory factory = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
        Map<String, JsonSchema> schemas = new TreeMap<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                schemas.put(
                        name.substring(0, name.length() - SUFFIX.length()),
                        factory.getSchema(new ObjectMapper().readTree(file.toFile())));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return schemas;
    }
}
