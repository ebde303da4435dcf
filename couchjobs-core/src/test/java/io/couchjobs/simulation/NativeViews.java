package io.couchjobs.simulation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.InProcess;
import io.couchjobs.embedded.protocol.Collation;
import io.couchjobs.embedded.store.Database;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.MalformedDocumentException;
import io.couchjobs.simulation.NativeIndex.Row;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The views of the design document {@code jobs}, without JavaScript, which would take most of the time of a simulation: the
 * twins of the map functions in {@code design-docs}. Read from one copy, as it is at that moment.
 */
final class NativeViews {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** By copy, as long as that lives: one world's copies are only asked by one thread at a time. */
    private static final Map<Database, Map<String, NativeIndex>> KNOWN =
            Collections.synchronizedMap(new WeakHashMap<>());

    private NativeViews() {}

    static boolean answers(InProcess.Request request) {
        String path = request.uri().getRawPath();
        return path.contains("/_view/") || (path.endsWith("/_all_docs") && asksForDesigns(request));
    }

    private static boolean asksForDesigns(InProcess.Request request) {
        return new String(request.body(), java.nio.charset.StandardCharsets.UTF_8).contains("\"_design/");
    }

    static byte[] answer(Database copy, InProcess.Request request) throws IOException {
        JsonNode query = JSON.readTree(request.body());
        String path = request.uri().getRawPath();
        NavigableSet<Row> rows =
                path.contains("/_view/") ? rows(copy, path.substring(path.lastIndexOf('/') + 1)) : designs();
        return page(rows, query);
    }

    private static NavigableSet<Row> designs() {
        return Stream.concat(DesignDocument.ALL.stream(), DesignDocument.ON_DEMAND.stream())
                .map(design ->
                        Row.of(design.docId(), NODES.textNode(design.docId()), NODES.objectNode(), NODES.objectNode()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static NavigableSet<Row> rows(Database copy, String view) {
        return KNOWN.computeIfAbsent(copy, any -> new HashMap<>())
                .computeIfAbsent(view, any -> new NativeIndex(doc -> row(view, doc)))
                .rows(copy);
    }

    private static Optional<Row> row(String view, ObjectNode doc) {
        String id = doc.path("_id").asText();
        if (view.equals("conflicts")) {
            boolean shown = doc.has("_conflicts") || doc.path("lock").has("withdrawn");
            JsonNode type = JobId.fromDocId(id)
                    .<JsonNode>map(job -> NODES.textNode(job.type()))
                    .orElse(NODES.nullNode());
            return shown
                    ? Optional.of(Row.of(
                            id, type, NODES.numberNode(doc.path("_conflicts").size()), doc))
                    : Optional.empty();
        }
        return job(doc).flatMap(job -> key(view, job, doc)).map(key -> Row.of(id, key, doc.get("_rev"), doc));
    }

    private static Optional<Job> job(ObjectNode doc) {
        try {
            return doc.path("_id").asText().startsWith(DocIds.JOB) ? Optional.of(Job.parse(doc)) : Optional.empty();
        } catch (MalformedDocumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<JsonNode> key(String view, Job job, ObjectNode doc) {
        boolean claimable = (job.status() == JobStatus.WAITING || job.status() == JobStatus.STUCK)
                && job.after().isEmpty()
                && !doc.has("_conflicts");
        ArrayNode key = NODES.arrayNode().add(job.type());
        return switch (view) {
            case "due" -> claimable ? Optional.of(key.add(job.scheduledTime().toEpochMilli())) : Optional.empty();
            case "stuck" ->
                claimable && job.status() == JobStatus.STUCK
                        ? Optional.of(key.add(job.scheduledTime().toEpochMilli()))
                        : Optional.empty();
            case "owned" -> job.lock().map(lock -> key.add(lock.worker()));
            case "turns" ->
                claimable
                        ? Optional.of(spot(key, job.status() == JobStatus.STUCK ? 0 : job.priority() > 50 ? 1 : 2, job))
                        : Optional.empty();
            case "held" ->
                job.status() == JobStatus.WAITING && job.after().isPresent()
                        ? Optional.of(NODES.textNode(job.type()))
                        : Optional.empty();
            default -> throw new IllegalArgumentException(view);
        };
    }

    /** Without groups: the simulation has none. */
    private static ArrayNode spot(ArrayNode key, int lane, Job job) {
        return key.add("")
                .add(lane)
                .add(job.scheduledTime().toEpochMilli())
                .add(job.id().docId());
    }

    private static byte[] page(NavigableSet<Row> rows, JsonNode query) throws IOException {
        Function<String, Optional<byte[]>> bound = name -> Optional.ofNullable(query.get(name))
                .or(() -> Optional.ofNullable(query.get(name.replace("key", "_key"))))
                .map(Collation::key);
        Optional<byte[]> start = bound.apply("startkey");
        Optional<byte[]> end = bound.apply("endkey");
        ObjectNode answer = NODES.objectNode().put("total_rows", 0).put("offset", 0);
        ArrayNode page = answer.putArray("rows");
        boolean docs = query.path("include_docs").asBoolean();
        start.map(from -> rows.tailSet(first(from))).orElse(rows).stream()
                .takeWhile(row -> end.isEmpty() || Arrays.compareUnsigned(row.place(), end.get()) <= 0)
                .limit(query.path("limit").asLong(Long.MAX_VALUE))
                .forEach(row -> page.add(shown(row, docs)));
        return JSON.writeValueAsBytes(answer);
    }

    /** {@return what stands before all rows of a place} */
    private static Row first(byte[] place) {
        return new Row("", place, NODES.nullNode(), NODES.nullNode(), NODES.objectNode());
    }

    private static ObjectNode shown(Row row, boolean docs) {
        ObjectNode json = NODES.objectNode().put("id", row.id());
        json.set("key", row.key());
        json.set("value", row.value());
        if (docs) {
            json.set("doc", withoutConflicts(row.doc()));
        }
        return json;
    }

    private static ObjectNode withoutConflicts(ObjectNode doc) {
        ObjectNode shown = NODES.objectNode().setAll(doc);
        shown.remove("_conflicts");
        return shown;
    }
}
