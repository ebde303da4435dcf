package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;

/**
 * The end of a job, written into the document that the job was made from. Stateless.
 *
 * <p>The value has the fields {@code status}, {@code job}, {@code at} (ms), {@code result} or {@code error}, {@code of}: the revision
 * that the job was made from, and {@code on}: the revision that it was written on.
 */
public final class WriteBack {
    private static final String OF = "of";
    private static final String ON = "on";

    private WriteBack() {}

    /**
     * The document with the end of a job.
     *
     * @param document the document as it is, with its {@code _rev}; not changed
     * @param place where the end is written
     * @param job the finished job
     * @param rev the revision that the job was made from
     * @return the changed document; the same one when it says that already
     * @throws IllegalArgumentException when the document has no such place
     */
    public static ObjectNode write(ObjectNode document, JsonPointer place, Job job, String rev) {
        ObjectNode end = document.objectNode()
                .put("status", job.status().json())
                .put("job", job.id().docId())
                .put("at", job.times().getOrDefault("finished", Instant.EPOCH).toEpochMilli())
                .put(OF, rev);
        job.result().ifPresent(result -> end.set("result", result));
        job.errors().stream().reduce((first, second) -> second).ifPresent(error -> {
            if (job.status() != JobStatus.SUCCESS) {
                end.put("error", error.message());
            }
        });
        if (document.at(place) instanceof ObjectNode present
                && present.deepCopy().without(ON).equals(end)) {
            return document;
        }
        ObjectNode changed = document.deepCopy();
        JsonNode parent = changed.at(place.head());
        if (!(parent instanceof ObjectNode object)) {
            throw new IllegalArgumentException(
                    "document " + document.path("_id").asText() + " has no object at " + place.head()
                            + " that the end of its job could be written into");
        }
        object.set(
                place.last().getMatchingProperty(),
                end.put(ON, document.path("_rev").asText()));
        return changed;
    }

    /**
     * Whether the last change of a document was such a write, and nothing else: it followed the revision that the job was made from, and
     * nothing was written since.
     */
    public static boolean isOwn(ObjectNode document, JsonPointer place) {
        JsonNode end = document.at(place);
        String on = end.path(ON).asText();
        return !on.isEmpty()
                && on.equals(end.path(OF).asText())
                && Rev.generation(document.path("_rev").asText()) == Rev.generation(on) + 1;
    }
}
