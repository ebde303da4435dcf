package io.couchjobs.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.util.List;

/**
 * Writes jobs as JSON for the pages. Times are epoch milliseconds. The JSON of users is sent as text, because JavaScript would
 * round its numbers. The token of a lock is never shown, because it is the right to finish the job.
 */
final class JobJson {
    private static final int LONGEST_TEXT = 200_000;
    private static final int LONGEST_STACK = 20_000;
    private static final int LONGEST_MESSAGE = 300;
    private static final int MOST_NAMED = 50;
    private static final ObjectWriter PRETTY = Call.JSON.writer().with(SerializationFeature.INDENT_OUTPUT);

    private JobJson() {}

    static ObjectNode name(JobId id) {
        return Call.JSON.createObjectNode().put("type", id.type()).put("id", id.id());
    }

    /** Returns the fields that a list shows. */
    static ObjectNode summary(Job job) {
        ObjectNode json = name(job.id())
                .put("status", job.status().json())
                .put("rev", job.rev().orElse(""))
                .put("time", job.scheduledTime().toEpochMilli())
                .put("attempt", job.attempt())
                .put("group", job.group())
                .put("priority", job.priority());
        times(job, json);
        job.tags().stream().limit(MOST_NAMED).forEach(json.putArray("tags")::add);
        job.jobClass().ifPresent(name -> json.put("class", name));
        job.origin().ifPresent(origin -> json.put("origin", origin));
        job.correlationId().ifPresent(correlation -> json.put("correlation", correlation));
        job.progress().ifPresent(progress -> json.putObject("progress")
                .put("percent", progress.percent())
                .put("message", progress.message().orElse("")));
        job.lock().ifPresent(lock -> json.put("worker", lock.worker()));
        json.put("held", job.after().isPresent() && job.phase() == JobPhase.PENDING);
        List<JobError> errors = job.errors();
        if (!errors.isEmpty()) {
            json.put("error", shortened(errors.get(errors.size() - 1).message(), LONGEST_MESSAGE));
        }
        return json;
    }

    /** Returns the fields that a job's own page shows. Performs no I/O: a message replaces data that was not read. */
    static ObjectNode whole(Job job) {
        ObjectNode json = summary(job)
                .put("state", job.phase().name().toLowerCase(java.util.Locale.ROOT))
                .put(
                        "maxRetries",
                        job.maxRetries().isPresent() ? job.maxRetries().getAsInt() : null)
                .put("expirations", job.expirations())
                .put("fence", job.fence())
                .put("resubmitted", job.isResubmitted())
                .put("cancelRequested", job.isCancelRequested())
                .put("retryReason", job.retryReason().orElse(null))
                .put("tracker", job.tracker().orElse(null))
                .put("site", job.site().orElse(null))
                .put("data", data(job))
                .put("result", job.result().map(JobJson::text).orElse(null));
        job.lock().ifPresent(lock -> json.put("since", lock.since().toEpochMilli()));
        Arrays.items(job).ifPresent(items -> json.set("items", items));
        errors(job, json.putArray("errors"));
        job.after().ifPresent(after -> {
            ObjectNode waits = json.putObject("after")
                    .put("count", after.jobs().size())
                    .put("onFailure", after.onFailure().json());
            ArrayNode jobs = waits.putArray("jobs");
            after.jobs().stream().limit(MOST_NAMED).map(JobJson::name).forEach(jobs::add);
        });
        return json;
    }

    private static String data(Job job) {
        try {
            return text(job.data());
        } catch (CouchJobsException unreadable) {
            return String.valueOf(unreadable.getMessage());
        }
    }

    private static void times(Job job, ObjectNode json) {
        ObjectNode times = json.putObject("times");
        job.times().forEach((name, time) -> times.put(name, time.toEpochMilli()));
    }

    private static void errors(Job job, ArrayNode errors) {
        for (JobError error : job.errors()) {
            errors.addObject()
                    .put("attempt", error.attempt())
                    .put("at", error.at().toEpochMilli())
                    .put("kind", error.kind().json())
                    .put("message", shortened(error.message(), LONGEST_TEXT))
                    .put(
                            "stack",
                            error.stack()
                                    .map(stack -> shortened(stack, LONGEST_STACK))
                                    .orElse(null));
        }
    }

    static String text(JsonNode json) {
        try {
            return shortened(PRETTY.writeValueAsString(json), LONGEST_TEXT);
        } catch (JsonProcessingException cannotBe) {
            return String.valueOf(json);
        }
    }

    private static String shortened(String text, int longest) {
        return text.length() <= longest
                ? text
                : text.substring(0, longest) + "… (" + (text.length() - longest) + " more characters)";
    }
}
