package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.JobStatus;
import java.util.Optional;

/**
 * The tombstone of a deleted job. On a cluster another leaf of the document may turn up later: the tombstone's status
 * and fence tell whether that leaf still counts.
 */
public final class JobTombstone {
    private JobTombstone() {}

    /**
     * The tombstone of a job that was removed in any state. Its fence is that of the next claim, counting a run that
     * the owner was asked for. So a claim at the same moment, which would run the removed job, does not win against the
     * removal.
     *
     * @param document the job, or a document that cannot be one
     */
    static ObjectNode ofRemoved(ObjectNode document) {
        ObjectNode tombstone = Tombstone.of(
                document.path("_id").asText(), document.path("_rev").asText());
        JsonNode fence = document.path(Field.FENCE);
        int later = document.hasNonNull(Field.LOCK) && document.hasNonNull(Field.RESUBMIT) ? 2 : 1;
        if (fence.isIntegralNumber() && fence.canConvertToInt() && fence.asInt() <= Integer.MAX_VALUE - later) {
            tombstone.put(Field.FENCE, fence.asInt() + later);
        }
        if (document.path(Field.STATUS).isTextual()) {
            tombstone.set(Field.STATUS, document.path(Field.STATUS));
        }
        return tombstone;
    }

    /** The tombstone of a finished job that retention deleted. An add at the same moment wins. */
    static ObjectNode ofRetired(FinishedJob row) {
        ObjectNode tombstone = Tombstone.of(row.docId(), row.rev());
        tombstone.put(Field.STATUS, row.status().json());
        row.fence().ifPresent(fence -> tombstone.put(Field.FENCE, fence));
        tombstone.put(Field.REMOVED_BY, Field.RETENTION);
        return tombstone;
    }

    /** The final status of a job that retention deleted; empty when something else deleted it. */
    public static Optional<JobStatus> retiredStatus(ObjectNode tombstone) {
        return tombstone.path(Field.REMOVED_BY).asText().equals(Field.RETENTION)
                ? JobStatus.fromJson(tombstone.path(Field.STATUS).asText())
                : Optional.empty();
    }
}
