package io.couchjobs.dashboard.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Lock;
import io.couchjobs.job.Progress;
import io.couchjobs.job.UnreadableDataException;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Writes jobs as JSON for programs. Every field is present, and null when it is not set. Times are ISO-8601; a null
 * {@code scheduledTime} means at once. The token of the lock is left out, because it is the right to finish the job.
 */
public final class JobView {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private JobView() {}

    /**
     * Writes all fields of a job.
     *
     * @param job the job, with its data
     * @return the fields
     */
    public static ObjectNode of(Job job) {
        ObjectNode json = of(job.id());
        json.put("status", job.status().json());
        json.put("state", job.phase().name().toLowerCase(Locale.ROOT));
        json.put("scheduledTime", due(job).map(Instant::toString).orElse(null));
        data(job, json);
        json.set("result", job.result().orElse(JSON.nullNode()));
        json.put("attempt", job.attempt());
        json.put("maxRetries", job.maxRetries().isPresent() ? job.maxRetries().getAsInt() : null);
        json.put("expirations", job.expirations());
        json.set("errors", errors(job));
        json.set("lock", job.lock().map(JobView::lock).orElse(JSON.nullNode()));
        json.put("fence", job.fence());
        json.put("resubmitted", job.isResubmitted());
        json.put("cancelRequested", job.isCancelRequested());
        json.put("cancelReason", job.cancelReason().orElse(null));
        json.put("retryReason", job.retryReason().orElse(null));
        json.put("group", job.group());
        json.put("priority", job.priority());
        json.put("class", job.jobClass().orElse(null));
        json.put("origin", job.origin().orElse(null));
        json.put("correlationId", job.correlationId().orElse(null));
        json.put("site", job.site().orElse(null));
        json.put("tracker", job.tracker().orElse(null));
        job.tags().forEach(json.putArray("tags")::add);
        json.set("after", job.after().map(JobView::after).orElse(JSON.nullNode()));
        json.set("progress", job.progress().map(JobView::progress).orElse(JSON.nullNode()));
        json.set("times", times(job.times()));
        json.put("rev", job.rev().orElse(null));
        return json;
    }

    /**
     * Writes the name of a job.
     *
     * @param id the job
     * @return its type and id
     */
    public static ObjectNode of(JobId id) {
        return JSON.objectNode().put("type", id.type()).put("id", id.id());
    }

    /**
     * {@return the scheduled time of a job; empty when the job is due at once}
     *
     * @param job the job
     */
    public static Optional<Instant> due(Job job) {
        return Optional.of(job.scheduledTime()).filter(time -> !time.equals(Instant.EPOCH));
    }

    /**
     * {@return whether two values are equal; numbers are compared by value, because a server may write 1.0 where 1 was sent}
     *
     * @param stored the value that the server has
     * @param given the value that was sent
     */
    public static boolean isSame(JsonNode stored, JsonNode given) {
        return stored.equals(
                (one, other) -> one.isNumber() && other.isNumber()
                        ? one.decimalValue().compareTo(other.decimalValue())
                        : one.equals(other) ? 0 : 1,
                given);
    }

    /** Writes the data, or the reason why it cannot be read. One job whose data is lost must not hide the others. */
    private static void data(Job job, ObjectNode json) {
        try {
            json.set("data", job.data());
        } catch (UnreadableDataException lost) {
            json.putNull("data").put("dataProblem", lost.getMessage());
        }
    }

    private static JsonNode errors(Job job) {
        ArrayNode errors = JSON.arrayNode();
        for (JobError error : job.errors()) {
            errors.addObject()
                    .put("attempt", error.attempt())
                    .put("at", error.at().toString())
                    .put("kind", error.kind().json())
                    .put("message", error.message())
                    .put("stack", error.stack().orElse(null));
        }
        return errors;
    }

    private static JsonNode lock(Lock lock) {
        return JSON.objectNode()
                .put("worker", lock.worker())
                .put("since", lock.since().toString());
    }

    private static JsonNode after(After after) {
        ObjectNode json = JSON.objectNode();
        ArrayNode jobs = json.putArray("jobs");
        after.jobs().forEach(id -> jobs.add(of(id)));
        return json.put("onFailure", after.onFailure().json());
    }

    private static JsonNode progress(Progress progress) {
        return JSON.objectNode()
                .put("percent", progress.percent())
                .put("message", progress.message().orElse(null));
    }

    private static JsonNode times(Map<String, Instant> times) {
        ObjectNode json = JSON.objectNode();
        times.forEach((name, time) -> json.put(name, time.toString()));
        return json;
    }
}
