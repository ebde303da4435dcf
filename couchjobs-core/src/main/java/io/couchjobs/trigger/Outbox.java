package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Names;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.ScheduledTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Jobs inside a business document: its field {@code couchjobs} is an array with an entry per job. To save the document is to add the
 * jobs: a trigger with an outbox makes each of them once. A job's id is the {@code id} of its entry. Without one it is derived from the
 * entry's content, the document's id and, if the trigger follows a pattern, the database's name. So it stays the same however often
 * the document is saved. Stateless.
 */
public final class Outbox {
    /** The field of a document that holds the entries. */
    public static final String FIELD = "couchjobs";

    /** The field of an entry that says which job was made from it, where the trigger marks entries. */
    public static final String MADE = "made";

    private static final Set<String> FIELDS = Set.of(
            "type",
            "id",
            "data",
            "scheduledTime",
            "group",
            "priority",
            "maxRetries",
            "tags",
            "class",
            "correlationId",
            "site",
            MADE);

    private Outbox() {}

    /** The treatment of an entry whose job was made. Immutable and thread-safe. */
    public enum Entries {
        /** It stays as it is. The default: the document is the user's, and nobody else writes it. */
        LEAVE,
        /** It gets a field {@value Outbox#MADE}, the id of the job's document. */
        MARK,
        /**
         * It is taken out of the document. An equal entry that is saved again later has the same derived id, so it makes no job as long as
         * the first job is kept. An entry that may come again needs an id of its own.
         */
        REMOVE
    }

    /**
     * Puts the entry for a job into a document that the caller is about to save.
     *
     * @param document the document, which is changed
     * @param request the job. An id that couchjobs made up is left out: the entry's job gets one that is derived from the document
     * @return the document
     * @throws IllegalArgumentException when the job is to wait for others: an entry cannot say so
     */
    public static ObjectNode add(ObjectNode document, JobRequest request) {
        ObjectNode job = document.objectNode();
        request.writeTo(job);
        if (job.has(Field.AFTER)) {
            throw new IllegalArgumentException(
                    "after cannot be in an entry of an outbox: add job " + request.id() + " to the queue instead");
        }
        ObjectNode entry = document.objectNode().put("type", request.id().type());
        if (!request.id().isRandom()) {
            entry.put("id", request.id().id());
        }
        job.properties().stream()
                .filter(field -> FIELDS.contains(field.getKey()))
                .filter(field -> !(field.getKey().equals("scheduledTime")
                        && field.getValue().asLong() == 0))
                .forEach(field -> entry.set(field.getKey(), field.getValue()));
        JsonNode present = document.get(FIELD);
        (present instanceof ArrayNode array ? array : document.putArray(FIELD)).add(entry);
        return document;
    }

    /** An entry of a document: its place, and the job or what is wrong with it. */
    record Entry(int index, ObjectNode json, String derived, String jobId) {
        /** Empty when no job can have such an id or such a type. */
        Optional<JobId> job() {
            try {
                return Optional.of(new JobId(json.path("type").asText(), jobId));
            } catch (IllegalArgumentException malformed) {
                return Optional.empty();
            }
        }
    }

    /** The entries whose jobs are not known to be made. */
    static List<Entry> entries(String docId, ObjectNode document) {
        JsonNode field = document.path(FIELD);
        if (field.isMissingNode() || field.isNull()) {
            return List.of();
        } else if (!field.isArray()) {
            throw new IllegalArgumentException("field " + FIELD + " must be an array of jobs, not " + kind(field));
        }
        List<Entry> entries = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        for (int i = 0; i < field.size(); i++) {
            if (!(field.get(i) instanceof ObjectNode entry)) {
                throw new IllegalArgumentException(
                        "field " + FIELD + "[" + i + "] must be an object, not " + kind(field.get(i)));
            }
            String derived = docId + ":" + Digest.of(canonical(entry));
            int before = seen.merge(derived, 1, Integer::sum) - 1;
            String id = entry.hasNonNull("id")
                    ? entry.path("id").asText()
                    : Digest.shortened(before == 0 ? derived : derived + "-" + before, Names.LONGEST_ID);
            if (!entry.hasNonNull(MADE)) {
                entries.add(new Entry(i, entry, derived, id));
            }
        }
        return List.copyOf(entries);
    }

    private static String kind(JsonNode value) {
        return "a " + value.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    /** The text of an entry with its fields in order, without the mark that a trigger leaves. */
    private static String canonical(JsonNode json) {
        if (json instanceof ObjectNode object) {
            Map<String, String> fields = new TreeMap<>();
            object.properties().stream()
                    .filter(field -> !field.getKey().equals(MADE))
                    .forEach(field -> fields.put(field.getKey(), canonical(field.getValue())));
            return fields.toString();
        } else if (json.isArray()) {
            List<String> elements = new ArrayList<>();
            json.forEach(element -> elements.add(canonical(element)));
            return elements.toString();
        }
        return json.isNumber() ? String.valueOf(json.doubleValue()) : json.toString();
    }

    /** The job of an entry; throws IllegalArgumentException that names the field that is wrong. */
    static JobRequest job(Entry entry, String origin) {
        String path = FIELD + "[" + entry.index + "].";
        CheckedFields fields = new CheckedFields(entry.json, path);
        fields.requireOnly(FIELDS);
        JobRequest.Builder request = JobRequest.builder(fields.required("type", "the type of the job"))
                .id(entry.jobId)
                .origin(origin)
                .data(fields.object("data").orElseGet(entry.json::objectNode));
        time(entry.json.path("scheduledTime"), fields).ifPresent(request::scheduledTime);
        fields.text("group").ifPresent(request::group);
        fields.text("correlationId").ifPresent(request::correlationId);
        JobPattern.common(fields, request);
        return request.build();
    }

    private static Optional<Instant> time(JsonNode value, CheckedFields fields) {
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        } else if (value.isIntegralNumber()) {
            return Optional.of(ScheduledTime.read(value));
        }
        try {
            return Optional.of(Instant.parse(value.asText()));
        } catch (DateTimeException noTime) {
            throw fields.wrong(
                    "scheduledTime", "milliseconds or seconds since 1970, or a time such as 2026-01-31T12:00:00Z");
        }
    }

    /**
     * {@return the name of a document in the ids of its entries' jobs: its id. If the source is a pattern, the
     * database's name comes before it, because documents of several databases may have the same id}
     *
     * @param isPattern whether the source of the trigger that makes the jobs is a pattern
     * @param change a change of the document
     */
    public static String name(boolean isPattern, SourceChange change) {
        return isPattern ? change.database() + ":" + change.id() : change.id();
    }

    /**
     * The document after the jobs of some entries were made. Equal entries are told apart by their order, so they stay as they are until
     * the jobs of all of them are made.
     *
     * @param docId the document's id; for a trigger with a pattern its {@link #name}
     * @param document the document, which is not changed
     * @param made the jobs
     * @param entries what is to become of an entry
     * @return the changed document; the same one when there is nothing to change
     * @throws IllegalArgumentException when the document's field is no array of objects
     */
    public static ObjectNode done(String docId, ObjectNode document, Set<JobId> made, Entries entries) {
        ObjectNode changed = document.deepCopy();
        List<Entry> open = entries(docId, document);
        Set<String> waiting = open.stream()
                .filter(entry -> entry.job().filter(made::contains).isEmpty())
                .map(Entry::derived)
                .collect(Collectors.toSet());
        List<Integer> gone = new ArrayList<>();
        for (Entry entry : open) {
            if (!waiting.contains(entry.derived)) {
                ((ObjectNode) changed.path(FIELD).path(entry.index))
                        .put(MADE, entry.job().orElseThrow().docId());
                gone.add(0, entry.index);
            }
        }
        if (entries == Entries.REMOVE && changed.path(FIELD) instanceof ArrayNode array) {
            gone.forEach(array::remove);
            if (array.isEmpty()) {
                changed.remove(FIELD);
            }
        }
        return changed;
    }
}
