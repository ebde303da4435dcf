package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.JsonNumbers;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.List;

/**
 * The end of a job, written into the document that the job was made from. Stateless.
 *
 * <p>The value is an object. It has {@code status}, {@code job}, {@code fence}, {@code at} (ms), and {@code result} or
 * {@code error}. It also has these fields: {@code of}, the revision that the job was made from; {@code trigger}, the trigger that
 * made the job; {@code round}, the time (ms) at which that trigger had last been sent back by then; {@code on}, the revision that
 * the value was written on; and {@code saved}, the newest revision that a user saved. {@code saved} is left out when it equals
 * {@code on}, and {@code round} when it is 0.
 */
public final class WriteBack {
    private static final String JOB = "job";
    private static final String FENCE = "fence";
    private static final String AT = "at";
    private static final String OF = "of";
    private static final String TRIGGER = "trigger";
    private static final String ROUND = "round";
    private static final String ON = "on";
    private static final String SAVED = "saved";

    private WriteBack() {}

    /**
     * Writes the end of a job into a document.
     *
     * @param document the document with its {@code _rev}; not changed
     * @return the changed document; the same document when it already has this end, or the end of a later run
     * @throws IllegalArgumentException when the document has no object at the parent of {@code place}
     */
    public static ObjectNode write(ObjectNode document, JsonPointer place, Job job) {
        ObjectNode end = document.objectNode()
                .put("status", job.status().json())
                .put(JOB, job.id().docId())
                .put(FENCE, job.fence())
                .put(AT, job.times().getOrDefault("finished", Instant.EPOCH).toEpochMilli());
        Origin.of(job).ifPresent(origin -> putOrigin(end, origin));
        job.result().ifPresent(result -> end.set("result", result));
        job.errors().stream().reduce((first, second) -> second).ifPresent(error -> {
            if (job.status() != JobStatus.SUCCESS) {
                end.put("error", error.message());
            }
        });
        if (document.at(place) instanceof ObjectNode present && (saysTheSame(present, end) || isNewer(present, end))) {
            return document;
        }
        ObjectNode changed = document.deepCopy();
        JsonNode parent = changed.at(place.head());
        if (!(parent instanceof ObjectNode object)) {
            throw new IllegalArgumentException(
                    "document " + document.path("_id").asText() + " has no object at " + place.head()
                            + " that the end of its job could be written into");
        }
        stamp(end, document, savedRev(document, place));
        object.set(place.last().getMatchingProperty(), end);
        return changed;
    }

    private static void putOrigin(ObjectNode end, Origin origin) {
        end.put(OF, origin.rev()).put(TRIGGER, origin.trigger());
        if (origin.round() > 0) {
            end.put(ROUND, origin.round());
        }
    }

    private static boolean saysTheSame(ObjectNode present, ObjectNode end) {
        return present.deepCopy().without(List.of(ON, SAVED)).equals(JsonNumbers::compare, end);
    }

    /**
     * {@return whether the present end is that of a later run of the same job} Both its fence and its time must be greater.
     * A greater fence alone proves nothing: a job that was removed and added again begins with a small fence. A later time
     * alone proves nothing either: the clocks of two processes may differ.
     */
    private static boolean isNewer(ObjectNode present, ObjectNode end) {
        return present.path(JOB).equals(end.path(JOB))
                && present.path(FENCE).asLong() > end.path(FENCE).asLong()
                && present.path(AT).asLong() > end.path(AT).asLong();
    }

    /**
     * Prepares a document with the end of a job for another write on its revision. That write does not count as a user's
     * save.
     */
    public static ObjectNode again(ObjectNode document, JsonPointer place) {
        return instead(document, place, savedRev(document, place));
    }

    /** As {@link #again}, for a write that replaces a revision which a user saved on another leaf of the document. */
    public static ObjectNode instead(ObjectNode document, JsonPointer place, String saved) {
        ObjectNode changed = document.deepCopy();
        if (changed.at(place) instanceof ObjectNode end) {
            stamp(end, document, saved);
        }
        return changed;
    }

    private static void stamp(ObjectNode end, ObjectNode document, String saved) {
        String on = document.path("_rev").asText();
        end.remove(List.of(ON, SAVED));
        end.put(ON, on);
        if (!saved.equals(on)) {
            end.put(SAVED, saved);
        }
    }

    /**
     * Returns the newest revision of a document that a user saved: the document's own revision, unless the last change was
     * a write of an end.
     *
     * @return the revision, which the server may have forgotten
     */
    public static String savedRev(ObjectNode document, JsonPointer place) {
        String rev = document.path("_rev").asText();
        JsonNode end = document.at(place);
        String on = end.path(ON).asText();
        boolean isWrittenLast = !on.isEmpty() && Rev.generation(rev) == Rev.generation(on) + 1;
        return isWrittenLast ? end.path(SAVED).asText(on) : rev;
    }

    /**
     * Returns whether no user has saved the document since the revision that the job was made from.
     *
     * @param trigger the trigger that asks; the end of another trigger's job does not count
     * @param round when that trigger was last sent back, in ms; an end from before that time does not count
     */
    public static boolean isOwn(ObjectNode document, JsonPointer place, String trigger, long round) {
        JsonNode end = document.at(place);
        return savedRev(document, place).equals(end.path(OF).asText())
                && end.path(TRIGGER).asText(trigger).equals(trigger)
                && end.path(ROUND).asLong() >= round;
    }
}
