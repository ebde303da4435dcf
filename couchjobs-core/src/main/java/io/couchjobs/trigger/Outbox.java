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
 * Jobs inside a business document. The document's field {@code couchjobs} is an array with one entry per job. Saving the document
 * adds the jobs: a trigger with an outbox makes each of them once. A job's id is the {@code id} of its entry. If the entry has no
 * {@code id}, the job's id is derived from the entry's content, the document's id and, if the trigger follows a pattern, the
 * database's name. Saving the document again does not change the derived id. Stateless.
 */
public final class Outbox {
    /** The field of a document that holds the entries. */
    public static final String FIELD = "couchjobs";

    /** The field of an entry that names the job made from it. A trigger with {@link Entries#MARK} writes it. */
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

    /** What a trigger does with an entry whose job was made. Immutable and thread-safe. */
    public enum Entries {
        /**
         * The entry stays as it is. The default, because the document belongs to the user, and couchjobs then does not write it.
         */
        LEAVE,
        /** The entry gets a field {@value Outbox#MADE} with the id of the job's document. */
        MARK,
        /**
         * The entry is removed from the document. An equal entry that is saved later has the same derived id, so it makes no job
         * while the first job still exists. Entries that may recur need their own ids.
         */
        REMOVE
    }

    /**
     * Puts the entry for a job into a document that the caller is about to save.
     *
     * @param document the document, which is changed
     * @param request the job. An id that couchjobs generated is left out: the id of the entry's job is derived from the document
     *     instead
     * @return the document
     * @throws IllegalArgumentException when the job waits for other jobs, which an entry cannot express
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

    /** An entry of a document: its index, its JSON, the id derived from its content, and the id of its job. */
    record Entry(int index, ObjectNode json, String derived, String jobId) {
        /** Returns the job's id; empty when the id or the type is invalid. */
        Optional<JobId> job() {
            try {
                return Optional.of(new JobId(json.path("type").asText(), jobId));
            } catch (IllegalArgumentException malformed) {
                return Optional.empty();
            }
        }
    }

    /** Returns the entries without a mark, whose jobs may not have been made yet. */
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

    /** Returns the text of an entry with its fields sorted by name, and without the mark of a trigger. */
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

    /** Returns the job of an entry; throws IllegalArgumentException that names a wrong field. */
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
     * {@return the name of a document as the ids of its entries' jobs contain it. The name is the document's id. If the source is a
     * pattern, the name begins with the database's name, because documents of several databases may have the same id}
     *
     * @param isPattern whether the source of the trigger that makes the jobs is a pattern
     * @param change a change of the document
     */
    public static String name(boolean isPattern, SourceChange change) {
        return isPattern ? change.database() + ":" + change.id() : change.id();
    }

    /**
     * Returns the document after the jobs of some entries were made. Only their order distinguishes equal entries, so they stay
     * unchanged until all their jobs are made.
     *
     * @param docId the document's {@link #name}
     * @param document the document, which is not changed
     * @param made the ids of the jobs that were made
     * @param entries what to do with an entry whose job was made
     * @return a copy of the document with the changes; equal to the document when there is nothing to change
     * @throws IllegalArgumentException when the field {@value #FIELD} is not an array of objects
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
