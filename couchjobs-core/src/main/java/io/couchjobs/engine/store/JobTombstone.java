package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.Tombstone;
import io.couchjobs.job.JobStatus;
import java.util.Optional;

/**
 * What a deleted job leaves behind. On a cluster another leaf of the document may turn up later: the tombstone says by how the
 * job stood and by its fence whether that one still counts.
 */
public final class JobTombstone {
    private static final String STATUS = "status";
    private static final String FENCE = "fence";
    private static final String LOCK = "lock";
    private static final String RESUBMIT = "resubmit";
    private static final String REMOVED_BY = "removedBy";
    private static final String RETENTION = "retention";

    private JobTombstone() {}

    /**
     * Of a job that somebody removed, in whatever state. Its fence is that of the next claim, after the run that somebody may have
     * asked the owner for: a claim at the same moment, from which somebody would run the job after it was removed, does not win against
     * the removal.
     *
     * @param document the job, or a document that cannot be one
     */
    static ObjectNode ofRemoved(ObjectNode document) {
        ObjectNode tombstone = Tombstone.of(
                document.path("_id").asText(), document.path("_rev").asText());
        JsonNode fence = document.path(FENCE);
        int later = document.hasNonNull(LOCK) && document.hasNonNull(RESUBMIT) ? 2 : 1;
        if (fence.isIntegralNumber() && fence.canConvertToInt() && fence.asInt() <= Integer.MAX_VALUE - later) {
            tombstone.put(FENCE, fence.asInt() + later);
        }
        if (document.path(STATUS).isTextual()) {
            tombstone.set(STATUS, document.path(STATUS));
        }
        return tombstone;
    }

    /** Of a finished job that retention let go. Whoever adds it again at the same moment wins. */
    static ObjectNode ofRetired(FinishedJob row) {
        ObjectNode tombstone = Tombstone.of(row.docId(), row.rev());
        tombstone.put(STATUS, row.status().json());
        row.fence().ifPresent(fence -> tombstone.put(FENCE, fence));
        tombstone.put(REMOVED_BY, RETENTION);
        return tombstone;
    }

    /** How a job had finished that retention let go; empty when something else deleted it. */
    public static Optional<JobStatus> retiredStatus(ObjectNode tombstone) {
        return tombstone.path(REMOVED_BY).asText().equals(RETENTION)
                ? JobStatus.fromJson(tombstone.path(STATUS).asText())
                : Optional.empty();
    }
}
