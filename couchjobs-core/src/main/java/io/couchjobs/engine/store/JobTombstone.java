package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.JobStatus;
import java.util.Optional;

/**
 * The tombstone of a deleted job. On a cluster another leaf of the document may appear later: the tombstone's status and
 * fence determine whether that leaf still counts.
 */
public final class JobTombstone {
    private JobTombstone() {}

    /**
     * Returns the tombstone of a job that a caller removes in any state. Its fence is that of the next claim, or of the claim
     * after that if another run was requested. So a concurrent claim, which would run the removed job, does not win against
     * the removal.
     *
     * @param document the job, or a document that is not a valid job
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

    /** Returns the tombstone of a finished job that retention deletes. A concurrent add wins against it. */
    static ObjectNode ofRetired(FinishedJob row) {
        ObjectNode tombstone = Tombstone.of(row.docId(), row.rev());
        tombstone.put(Field.STATUS, row.status().json());
        row.fence().ifPresent(fence -> tombstone.put(Field.FENCE, fence));
        tombstone.put(Field.REMOVED_BY, Field.RETENTION);
        return tombstone;
    }

    /** Returns the final status of a job that retention deleted; empty when something else deleted it. */
    public static Optional<JobStatus> retiredStatus(ObjectNode tombstone) {
        return tombstone.path(Field.REMOVED_BY).asText().equals(Field.RETENTION)
                ? JobStatus.fromJson(tombstone.path(Field.STATUS).asText())
                : Optional.empty();
    }
}
