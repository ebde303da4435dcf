package io.couchjobs.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.Lock;
import io.couchjobs.job.Progress;
import io.couchjobs.job.UnreadableDataException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A job as programs see it: every field is there, null when it is not set; times are ISO-8601, null is "at once". */
final class JobJson {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private JobJson() {}

    static ObjectNode of(Job job) {
        ObjectNode json = of(job.id());
        json.put("status", job.status().json());
        json.put("state", EnumNames.lowerCase(job.phase()));
        json.put("scheduledTime", due(job).map(Instant::toString).orElse(null));
        data(job, json);
        json.set("result", job.result().orElse(JSON.nullNode()));
        json.put("attempt", job.attempt());
        json.put("maxRetries", job.maxRetries().isPresent() ? job.maxRetries().getAsInt() : null);
        json.put("expirations", job.expirations());
        json.set("errors", errors(job));
        json.set("lock", job.lock().map(JobJson::lock).orElse(JSON.nullNode()));
        json.put("fence", job.fence());
        json.put("resubmitted", job.isResubmitted());
        json.put("cancelRequested", job.isCancelRequested());
        json.put("group", job.group());
        json.put("priority", job.priority());
        json.put("class", job.jobClass().orElse(null));
        json.put("origin", job.origin().orElse(null));
        json.put("correlationId", job.correlationId().orElse(null));
        json.put("site", job.site().orElse(null));
        json.put("tracker", job.tracker().orElse(null));
        job.tags().forEach(json.putArray("tags")::add);
        json.set("after", job.after().map(JobJson::after).orElse(JSON.nullNode()));
        json.set("progress", job.progress().map(JobJson::progress).orElse(JSON.nullNode()));
        json.set("times", times(job.times()));
        json.put("rev", job.rev().orElse(null));
        return json;
    }

    /** One job whose data is lost does not keep the others from being shown. */
    private static void data(Job job, ObjectNode json) {
        try {
            json.set("data", job.data());
        } catch (UnreadableDataException lost) {
            json.putNull("data").put("dataProblem", lost.getMessage());
        }
    }

    static ObjectNode of(JobId id) {
        return JSON.objectNode().put("type", id.type()).put("id", id.id());
    }

    /** {@return a job that is not there any more} */
    static ObjectNode gone(JobId id) {
        return of(id).put("state", EnumNames.lowerCase(JobPhase.NOT_FOUND));
    }

    /** {@return the job's time; empty when it is due at once} */
    static Optional<Instant> due(Job job) {
        return Optional.of(job.scheduledTime()).filter(time -> !time.equals(Instant.EPOCH));
    }

    private static JsonNode errors(Job job) {
        var errors = JSON.arrayNode();
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
                .put("token", lock.token())
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
