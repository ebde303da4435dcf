package io.couchjobs.dashboard;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobArrays;
import io.couchjobs.JobQueue;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import java.util.Iterator;
import java.util.Optional;

/**
 * Writes arrays for their page: a strip of chunks, and the items that failed. The state of a chunk's items is in the field
 * {@code array} of its document, which {@code docs/protocol.md} describes. Thread-safe.
 */
final class Arrays {
    /** The largest number of chunks on a page. */
    private static final int MOST_CHUNKS = 1_000;

    private static final int MOST_ERRORS = 100;

    private final JobQueue queue;

    Arrays(JobQueue queue) {
        this.queue = queue;
    }

    /** {@return the state of a chunk's items; empty for a job that is not a chunk} */
    static Optional<ObjectNode> items(Job job) {
        JsonNode array = job.document().path("array");
        String states = array.path("states").asText();
        return states.isEmpty()
                ? Optional.empty()
                : Optional.of(Call.JSON
                        .createObjectNode()
                        .put("array", array.path("id").asText())
                        .put("first", array.path("first").asLong())
                        .put("states", states));
    }

    ObjectNode json(Call call) {
        JobId id = new JobId(call.required("type"), call.required("id"));
        ObjectNode json = JobJson.name(id);
        ArrayNode chunks = json.putArray("chunks");
        ArrayNode errors = json.putArray("errors");
        boolean isComplete = false;
        Iterator<Job> jobs = queue.arrays().chunks(id).iterator();
        while (jobs.hasNext() && chunks.size() < MOST_CHUNKS) {
            Job job = jobs.next();
            items(job)
                    .ifPresent(items -> chunks.add(items.put("id", job.id().id())
                            .put("status", job.status().json())));
            errors(job, errors);
            isComplete = job.document().at("/array/last").asBoolean();
        }
        if (chunks.isEmpty()) {
            throw new NotFoundException(id);
        }
        boolean more = jobs.hasNext();
        return json.put("complete", isComplete || (!more && isComplete(id))).put("more", more);
    }

    /** Asks the queue, because retention may have deleted the last chunk. */
    private boolean isComplete(JobId array) {
        return queue.arrays().get(array).filter(JobArrays.State::isComplete).isPresent();
    }

    /** Reads errors only at the places of the chunk's items; another client may have written others. */
    private static void errors(Job job, ArrayNode errors) {
        JsonNode array = job.document().path("array");
        String states = array.path("states").asText();
        for (int place = 0; place < states.length() && errors.size() < MOST_ERRORS; place++) {
            JsonNode error = array.path("errors").path(Integer.toString(place));
            if (error.isObject()) {
                errors.addObject()
                        .put("index", array.path("first").asLong() + place)
                        .put("chunk", job.id().id())
                        .put("final", states.charAt(place) == 'f')
                        .put("attempt", error.path("attempt").asInt())
                        .put("message", error.path("message").asText());
            }
        }
    }
}
