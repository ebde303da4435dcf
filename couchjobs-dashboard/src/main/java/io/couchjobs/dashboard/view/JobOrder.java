package io.couchjobs.dashboard.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.After;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;

/**
 * Reads new jobs that programs write, for the HTTP API and for {@code couchjobs enqueue --from}. An unknown field is an error. A
 * null field counts as missing.
 */
public final class JobOrder {
    private static final String TYPE = "type";
    private static final int LONGEST_SHOWN = 60;

    private JobOrder() {}

    /**
     * Reads a job with its type. Times are ISO-8601.
     *
     * @param order the job; without {@code data} it gets an empty object
     * @return the request
     * @throws IllegalArgumentException when a field is missing, wrong or unknown; the message names it and its value
     */
    public static JobRequest parse(ObjectNode order) {
        JobRequest.Builder job = JobRequest.builder(text(TYPE, order.path(TYPE)));
        fill(job.data(order.objectNode()), order.deepCopy().without(TYPE), JobOrder::time);
        return job.build();
    }

    /**
     * Sets the fields of a job whose type is known.
     *
     * @param job the job
     * @param order the fields
     * @param times reads a time
     * @throws IllegalArgumentException when a field is wrong or unknown; the message names it and its value
     */
    public static void fill(JobRequest.Builder job, ObjectNode order, Function<JsonNode, Instant> times) {
        for (Map.Entry<String, JsonNode> field : order.properties()) {
            if (field.getKey().equals("scheduledTime") && !field.getValue().isNull()) {
                job.scheduledTime(times.apply(field.getValue()));
            } else if (!field.getValue().isNull()) {
                set(job, field.getKey(), field.getValue());
            }
        }
    }

    private static void set(JobRequest.Builder job, String field, JsonNode value) {
        switch (field) {
            case "id" -> job.id(text(field, value));
            case "data" -> job.data(value);
            case "group" -> job.group(text(field, value));
            case "priority" -> job.priority(number(field, value));
            case "maxRetries" -> job.maxRetries(number(field, value));
            case "class" -> job.jobClass(text(field, value));
            case "origin" -> job.origin(text(field, value));
            case "correlationId" -> job.correlationId(text(field, value));
            case "tracker" -> job.tracker(text(field, value));
            case "site" -> job.site(text(field, value));
            case "tags" -> array(field, value).forEach(tag -> job.tag(text("tags", tag)));
            case "after" -> after(job, object(field, value));
            default -> throw new IllegalArgumentException("unknown field: " + field);
        }
    }

    private static void after(JobRequest.Builder job, ObjectNode after) {
        for (Map.Entry<String, JsonNode> field : after.properties()) {
            String name = "after." + field.getKey();
            switch (field.getKey()) {
                case "jobs" ->
                    array(name, field.getValue()).forEach(other -> {
                        ObjectNode id = object(name, other);
                        job.after(new JobId(text(name + ".type", id.path("type")), text(name + ".id", id.path("id"))));
                    });
                case "onFailure" ->
                    job.onFailure(Arrays.stream(After.OnFailure.values())
                            .filter(policy ->
                                    policy.json().equals(field.getValue().asText()))
                            .findAny()
                            .orElseThrow(() -> wrong(name, "cancel, run or wait", field.getValue())));
                default -> throw new IllegalArgumentException("unknown field: " + name);
            }
        }
    }

    private static String text(String field, JsonNode value) {
        if (value.isMissingNode()) {
            throw new IllegalArgumentException(field + " is missing");
        } else if (!value.isTextual()) {
            throw wrong(field, "a string", value);
        }
        return value.asText();
    }

    private static int number(String field, JsonNode value) {
        if (!value.isInt()) {
            throw wrong(field, "an integer", value);
        }
        return value.asInt();
    }

    private static Instant time(JsonNode value) {
        try {
            return OffsetDateTime.parse(value.isTextual() ? value.asText() : "").toInstant();
        } catch (DateTimeException notATime) {
            throw wrong("scheduledTime", "a time such as 2030-01-31T09:00:00Z", value);
        }
    }

    private static ObjectNode object(String field, JsonNode value) {
        if (value instanceof ObjectNode object) {
            return object;
        }
        throw wrong(field, "an object", value);
    }

    private static JsonNode array(String field, JsonNode value) {
        if (!value.isArray()) {
            throw wrong(field, "an array", value);
        }
        return value;
    }

    private static IllegalArgumentException wrong(String field, String wanted, JsonNode value) {
        return new IllegalArgumentException(field + " must be " + wanted + ": " + shortened(value));
    }

    /**
     * {@return a value as JSON, cut when it is long}
     *
     * @param value the value
     */
    public static String shortened(JsonNode value) {
        String json = value.toString();
        return json.length() <= LONGEST_SHOWN ? json : json.substring(0, LONGEST_SHOWN) + "...";
    }
}
