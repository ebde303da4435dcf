package io.couchjobs.dashboard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRequest;
import io.couchjobs.job.NotFoundException;

/** Adds jobs that people enter on the pages, including changed copies of other jobs. Thread-safe. */
final class NewJobs {
    /**
     * The largest body in bytes. It has room for any data that a page shows whole, and so lets people edit, in any script and
     * with escapes.
     */
    static final int LARGEST = 1 << 20;

    private final JobQueue queue;

    NewJobs(JobQueue queue) {
        this.queue = queue;
    }

    /** Adds a job. The data comes as text, because JavaScript would round its numbers. */
    ObjectNode add(ObjectNode body) {
        String type = JobId.checkType(body.path("type").asText());
        JobRequest.Builder request =
                JobRequest.builder(type).data(data(body.path("data").asText()));
        if (!body.path("id").asText().isEmpty()) {
            request.id(body.path("id").asText());
        }
        if (body.has("from")) {
            copy(new JobId(type, body.path("from").asText()), request);
        }
        return JobJson.name(queue.insert(request.build()).id()).put("done", "added");
    }

    static ObjectNode data(String text) {
        try {
            if (Call.JSON.readTree(text) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException noJson) {
            throw new Refusal(400, "the data is no JSON: " + noJson.getOriginalMessage());
        }
        throw new Refusal(400, "the data must be a JSON object, such as {\"to\": \"ada@example.org\"}");
    }

    /** Copies the labels and settings of a job into a request, which names the job as its origin. */
    private void copy(JobId id, JobRequest.Builder request) {
        Job old = queue.get(id).orElseThrow(() -> new NotFoundException(id));
        request.origin(id.docId()).group(old.group()).priority(old.priority());
        old.maxRetries().ifPresent(request::maxRetries);
        old.jobClass().ifPresent(request::jobClass);
        old.correlationId().ifPresent(request::correlationId);
        old.site().ifPresent(request::site);
        old.tags().forEach(request::tag);
    }
}
