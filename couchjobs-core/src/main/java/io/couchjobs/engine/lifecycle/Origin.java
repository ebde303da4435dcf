package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import java.util.Optional;

/**
 * The change from which a trigger made a job, as stored in the job's field {@code trigger}. It shows whether a change is
 * seen twice. Immutable.
 *
 * @param round when the trigger was last sent back to an earlier sequence, in ms; 0 if never
 */
public record Origin(String trigger, String database, String docId, String rev, long round) {
    private static final String NAME = "name";
    private static final String DATABASE = "database";
    private static final String DOCUMENT = "id";
    private static final String REV = "rev";
    private static final String ROUND = "round";

    /** {@return the change that the job was made from; empty for a job that no trigger made} */
    public static Optional<Origin> of(Job job) {
        JsonNode change = job.document().path(Field.TRIGGER);
        return change.isObject()
                ? Optional.of(new Origin(
                        change.path(NAME).asText(),
                        change.path(DATABASE).asText(),
                        change.path(DOCUMENT).asText(),
                        change.path(REV).asText(),
                        change.path(ROUND).asLong()))
                : Optional.empty();
    }

    /** {@return whether a job of the other origin was already made from this change, in this round or a later one} */
    public boolean isCoveredBy(Origin other) {
        return isOfSameDocument(other) && round <= other.round && rev.equals(other.rev);
    }

    /**
     * {@return whether the other origin is a later change of the same document, in this round or a later one} Even so, this
     * change may be the current one: the winner of a conflict may have been deleted.
     */
    public boolean isOlderThan(Origin other) {
        return isOfSameDocument(other) && round <= other.round && Rev.generation(rev) < Rev.generation(other.rev);
    }

    private boolean isOfSameDocument(Origin other) {
        return trigger.equals(other.trigger) && database.equals(other.database) && docId.equals(other.docId);
    }

    /** {@return the value of the field {@code trigger}} */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put(NAME, trigger)
                .put(DATABASE, database)
                .put(DOCUMENT, docId)
                .put(REV, rev);
        return round == 0 ? json : json.put(ROUND, round);
    }
}
