package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.MalformedDocumentException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The common part of a schedule's jobs, as the schedule's document keeps it. Immutable and thread-safe. */
final class JobTemplate {
    private static final String TYPE = "type";
    private static final String AFTER = "after";
    private static final String PRIORITY = "priority";
    private static final List<String> FIELDS =
            List.of("data", "group", PRIORITY, "maxRetries", "tags", "class", "origin", "correlationId", "site");

    private final ObjectNode json;
    private final Job sample;

    private JobTemplate(ObjectNode json, Job sample) {
        this.json = json;
        this.sample = sample;
    }

    /** Makes a template from a request, without the request's id, scheduled time and tracker. */
    static JobTemplate of(JobRequest request) {
        ObjectNode document = Transitions.create(request, Instant.EPOCH).toDocument();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put(TYPE, request.id().type());
        Stream.concat(FIELDS.stream(), Stream.of(AFTER))
                .filter(document::has)
                .forEach(field -> json.set(field, document.get(field)));
        return parse(json);
    }

    /** Reads a template; throws IllegalArgumentException that names a wrong field. */
    static JobTemplate parse(JsonNode json) {
        if (!(json instanceof ObjectNode template)) {
            throw new IllegalArgumentException("field job must be an object, not " + json);
        }
        JsonNode type = template.path(TYPE);
        if (template.hasNonNull(AFTER)) {
            throw new IllegalArgumentException("the job of a schedule cannot wait for other jobs, as job.after says");
        } else if (!type.isTextual()) {
            throw new IllegalArgumentException("field job.type must be a string, not " + type);
        }
        ObjectNode document = template.objectNode();
        document.put("_id", new JobId(type.textValue(), "sample").docId());
        FIELDS.stream().filter(template::hasNonNull).forEach(field -> document.set(field, template.get(field)));
        try {
            return new JobTemplate(template.deepCopy(), Job.parse(document));
        } catch (MalformedDocumentException wrong) {
            throw new IllegalArgumentException("in field job: " + wrong.getMessage(), wrong);
        }
    }

    String type() {
        return sample.type();
    }

    Job sample() {
        return sample;
    }

    ObjectNode json() {
        return json.deepCopy();
    }

    /**
     * Returns the request for one job. Origin, correlation id and site are those of the schedule unless the template has its own.
     */
    JobRequest request(String id, Instant time, String schedule, Optional<String> site) {
        JobRequest.Builder request = JobRequest.builder(type())
                .id(id)
                .scheduledTime(time)
                .data(sample.data())
                .origin(sample.origin().orElse(schedule))
                .correlationId(sample.correlationId().orElse(schedule));
        if (json.hasNonNull("group")) {
            request.group(sample.group());
        }
        if (json.hasNonNull(PRIORITY)) {
            request.priority(sample.priority());
        }
        sample.site().or(() -> site).ifPresent(request::site);
        sample.maxRetries().ifPresent(request::maxRetries);
        sample.jobClass().ifPresent(request::jobClass);
        sample.tags().forEach(request::tag);
        return request.build();
    }
}
