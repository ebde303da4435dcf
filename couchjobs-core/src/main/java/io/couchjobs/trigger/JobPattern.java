package io.couchjobs.trigger;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.CheckedFields;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Names;
import io.couchjobs.job.JobRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The pattern of a trigger's jobs, for a trigger that makes one job per change or per batch of changes. Immutable and thread-safe.
 */
final class JobPattern {
    private static final Set<String> FIELDS =
            Set.of("type", "id", "data", "includeDoc", "group", "priority", "maxRetries", "tags", "class", "site");
    /** Leaves room for a revision and a suffix. */
    private static final int LONGEST_ID = Names.LONGEST_ID - 80;

    private final String trigger;
    private final String type;
    private final boolean isEvery;
    private final Optional<Template> id;
    private final Optional<JsonTemplate> data;
    private final boolean includeDoc;
    private final Optional<Template> group;
    private final List<Template> templates;
    private final CheckedFields fields;

    JobPattern(String trigger, CheckedFields fields, boolean isEvery) {
        fields.requireOnly(FIELDS);
        this.trigger = trigger;
        this.type = fields.required("type", "the type of the jobs");
        this.isEvery = isEvery;
        this.id = fields.text("id").map(text -> fields.in("id", () -> Template.parse(text)));
        this.data = fields.object("data").map(json -> fields.in("data", () -> JsonTemplate.parse(json)));
        this.includeDoc = fields.flag("includeDoc", false);
        this.group = fields.text("group").map(text -> fields.in("group", () -> Template.parse(text)));
        this.templates = Stream.of(id.stream(), group.stream(), data.stream().flatMap(json -> json.texts().stream()))
                .flatMap(each -> each)
                .toList();
        this.fields = fields;
        if (includeDoc && data.isPresent()) {
            throw new IllegalArgumentException(
                    "fields job.data and job.includeDoc exclude each other: write {doc} into the data");
        } else if (isEvery
                && id.filter(template -> !template.names("_id") || !template.names("_rev"))
                        .isPresent()) {
            throw fields.wrong(
                    "id",
                    "a template with {_id} and {_rev}, because deliver is every: each revision makes a job, "
                            + "and revisions of different documents may be equal");
        }
        request("sample", Instant.EPOCH, JsonNodeFactory.instance.objectNode(), "sample");
    }

    String type() {
        return type;
    }

    boolean needsDocument() {
        return includeDoc || templates.stream().anyMatch(Template::needsDocument);
    }

    boolean needsPosition() {
        return templates.stream().anyMatch(Template::needsPosition);
    }

    /** Returns the job of one change; throws IllegalArgumentException when a template cannot be filled. */
    JobRequest job(SourceChange change, String suffix, Instant time) {
        return request(
                id(change) + suffix,
                time,
                data(change),
                group.map(template -> template.text(change)).orElse(""));
    }

    private String id(SourceChange change) {
        return id.map(template -> template.text(change))
                .orElseGet(() -> Digest.shortened(trigger + ":" + change.database() + "/" + change.id(), LONGEST_ID)
                        + (isEvery ? "@" + change.rev() : ""));
    }

    private JsonNode data(SourceChange change) {
        return data.map(template -> template.fill(change)).orElseGet(() -> described(change));
    }

    private ObjectNode described(SourceChange change) {
        ObjectNode described = JsonNodeFactory.instance
                .objectNode()
                .put("db", change.database())
                .put("id", change.id())
                .put("rev", change.rev())
                .put("deleted", change.deleted());
        if (includeDoc) {
            change.read().ifPresent(document -> described.set("doc", document));
        }
        return described;
    }

    boolean hasIdOrGroup() {
        return id.isPresent() || group.isPresent();
    }

    /** Returns the job of several changes. The job's id is derived from the key, so a repetition finds the same job. */
    JobRequest batch(String database, List<SourceChange> changes, String key, Instant time) {
        ObjectNode batch = JsonNodeFactory.instance.objectNode().put("db", database);
        ArrayNode list = batch.putArray("changes");
        changes.forEach(change -> {
            JsonNode one = data(change);
            list.add(one instanceof ObjectNode object && data.isEmpty() ? object.without("db") : one);
        });
        return request(trigger + ":" + database + "@" + Digest.of(key), time, batch, "");
    }

    private JobRequest request(String jobId, Instant time, JsonNode jobData, String ofGroup) {
        JobRequest.Builder request = JobRequest.builder(type)
                .id(jobId)
                .data(jobData)
                .scheduledTime(time)
                .origin(DocIds.TRIGGER + trigger);
        if (!ofGroup.isEmpty() && group.isPresent()) {
            request.group(ofGroup);
        }
        common(fields, request);
        return request.build();
    }

    /** Reads the fields that are common to the jobs of all triggers and are not templates. */
    static void common(CheckedFields fields, JobRequest.Builder request) {
        fields.number("priority", 0, 99).map(Long::intValue).ifPresent(request::priority);
        fields.number("maxRetries", 0, Integer.MAX_VALUE).map(Long::intValue).ifPresent(request::maxRetries);
        fields.texts("tags").forEach(request::tag);
        fields.text("class").ifPresent(request::jobClass);
        fields.text("site").ifPresent(request::site);
    }
}
