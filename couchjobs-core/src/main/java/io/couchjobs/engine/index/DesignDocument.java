package io.couchjobs.engine.index;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One design document as this version of couchjobs wants it, assembled from the readable sources in {@code design-docs/}.
 * Immutable and thread-safe.
 */
public final class DesignDocument {
    private static final String SOURCES = "/io/couchjobs/design-docs/";
    private static final Pattern INCLUDE = Pattern.compile("^[ \\t]*// !code (\\S+)[ \\t]*\\R", Pattern.MULTILINE);

    /** The views for workers: due, stuck, owned and held jobs, and documents with conflicts. */
    public static final DesignDocument JOBS = assemble("jobs", "due", "stuck", "owned", "held", "conflicts");
    /** The views for people: counts, lists, malformed documents, times in seconds. */
    public static final DesignDocument LISTS =
            assemble("lists", "status", "newest", "label", "malformed", "seconds", "finished");
    /** The view for workers that take turns between groups. */
    public static final DesignDocument FAIR = assemble("fair", "turns");
    /** The view for workers that take only some jobs, by a filter or by class. */
    public static final DesignDocument FILTER = assemble("filter", "line");
    /** The design documents of this version that every database has. */
    public static final List<DesignDocument> ALL = List.of(JOBS, LISTS);
    /** The design documents that a database gets only when they are needed, because an index adds a cost to every write. */
    public static final List<DesignDocument> ON_DEMAND = List.of(FAIR, FILTER);

    private final String name;
    private final ObjectNode content;
    private final String version;

    private DesignDocument(String name, ObjectNode content) {
        this.name = name;
        this.content = content;
        this.version = hash(content.toString());
    }

    /** {@return the name without version, such as {@code "jobs"}} */
    public String name() {
        return name;
    }

    /** {@return the name in the database: name and version, such as {@code "jobs-1a2b3c4d"}} */
    public String versionedName() {
        return name + "-" + version;
    }

    public String docId() {
        return "_design/" + versionedName();
    }

    /** {@return a new copy of the whole document, without a revision} */
    public ObjectNode toDocument() {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", docId());
        document.setAll(content.deepCopy());
        return document;
    }

    /**
     * Returns whether a stored design document is one of couchjobs, of any version, and unchanged: its name has the
     * hash of its content.
     *
     * @param versionedName its name, such as {@code jobs-1a2b3c4d}
     * @return false for a foreign design document, or one that was changed by hand
     */
    public static boolean isGenuine(String versionedName, ObjectNode stored) {
        ObjectNode content = stored.deepCopy();
        content.remove(List.of("_id", "_rev"));
        String version = hash(content.toString());
        return Stream.concat(ALL.stream(), ON_DEMAND.stream())
                .anyMatch(ours -> versionedName.equals(ours.name + "-" + version));
    }

    /** {@return whether a name is that of a design document, of any version, that a database gets only when needed} */
    public static boolean isOnDemand(String versionedName) {
        return ON_DEMAND.stream().anyMatch(ours -> versionedName.startsWith(ours.name + "-"));
    }

    @Override
    public String toString() {
        return versionedName();
    }

    private static DesignDocument assemble(String name, String... views) {
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        content.put("language", "javascript");
        // Otherwise the server would index each change at once, beside the work. IndexWarmer requests the update later.
        content.put("autoupdate", false);
        ObjectNode definitions = content.putObject("views");
        for (String view : views) {
            String folder = name + "/views/" + view;
            ObjectNode definition = definitions.putObject(view);
            definition.put("map", script(folder + "/map.js"));
            source(folder + "/reduce.js").ifPresent(reduce -> definition.put("reduce", reduce.strip()));
        }
        return new DesignDocument(name, content);
    }

    /** Returns a source file of {@code design-docs/}, with its includes. */
    static String script(String path) {
        return withIncludes(source(path).orElseThrow());
    }

    private static String withIncludes(String source) {
        return INCLUDE.matcher(source)
                .replaceAll(include ->
                        Matcher.quoteReplacement(source(include.group(1)).orElseThrow()));
    }

    private static Optional<String> source(String path) {
        try (InputStream in = DesignDocument.class.getResourceAsStream(SOURCES + path)) {
            return in == null
                    ? Optional.empty()
                    : Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the packed design document source " + path, e);
        }
    }

    static String hash(String content) {
        return Sha256.hex(content, 4);
    }
}
