package io.couchjobs.schedule;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.store.SharedDocuments;
import org.jspecify.annotations.Nullable;

/**
 * The result of a put. Immutable and thread-safe.
 *
 * @param outcome what happened
 * @param schedule the schedule as it is stored now
 */
public record PutResult(Outcome outcome, Schedule schedule) {
    /** The outcomes of a put. Immutable and thread-safe. */
    public enum Outcome {
        /** There was none of that name. */
        CREATED,
        /** There was one of that name, and it is as asked for now. */
        REPLACED,
        /** There was one of that name, and it was as asked for already: nothing was written. */
        UNCHANGED
    }

    /**
     * {@return what became of a schedule}
     *
     * @param before its document before; null when there was none
     * @param stored its document now
     */
    public static PutResult of(@Nullable ObjectNode before, ObjectNode stored) {
        Outcome outcome = before == null || !before.has("_rev")
                ? Outcome.CREATED
                : before.equals(SharedDocuments::compare, stored) ? Outcome.UNCHANGED : Outcome.REPLACED;
        return new PutResult(outcome, Schedule.parse(stored));
    }
}
