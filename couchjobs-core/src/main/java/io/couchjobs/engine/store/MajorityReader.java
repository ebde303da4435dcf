package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedJobException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads jobs as a majority of the copies has them. The state of a job is unknown while it has conflicts, or when there are
 * only tombstones of losing leaves; its conflict is resolved soon. Thread-safe.
 */
final class MajorityReader {
    private final CouchDatabase database;
    private final MajorityProbe majority;
    private final Conflicts conflicts;

    MajorityReader(JobWriter writer, Conflicts conflicts) {
        this.database = writer.database();
        this.majority = writer.majority();
        this.conflicts = conflicts;
    }

    /**
     * Empty when no majority was in reach. Jobs whose state is unknown are missing; a document that is no job has an entry
     * without a value.
     */
    Optional<Map<String, Optional<Snapshot>>> read(List<String> docIds) {
        return majority.read(docIds, () -> snapshots(docIds));
    }

    /** Each row of a list by keys is read by quorum. */
    private Map<String, Optional<Snapshot>> snapshots(List<String> docIds) {
        Map<String, Optional<Snapshot>> found = new HashMap<>();
        for (ViewResult.Row row : database.view(
                        ViewQuery.allDocs().keys(docIds).includeDocs(true).conflicts(true))
                .documentRows()) {
            JobId.fromDocId(row.key().asText()).ifPresent(id -> {
                if (row.doc() == null) {
                    gone(id).ifPresent(gone -> found.put(id.docId(), Optional.of(gone.confirmed())));
                } else {
                    note(id, row.doc(), found);
                }
            });
        }
        return found;
    }

    private void note(JobId id, ObjectNode document, Map<String, Optional<Snapshot>> found) {
        boolean hasConflicts = document.remove("_conflicts") != null;
        try {
            Job job = Job.parse(document);
            if (hasConflicts || job.isWithdrawn()) {
                conflicts.look(id);
            } else {
                found.put(id.docId(), Optional.of(Snapshot.of(job).confirmed()));
            }
        } catch (MalformedJobException overwritten) {
            if (!hasConflicts) {
                found.put(id.docId(), Optional.empty());
            }
        }
    }

    /** A tombstone written by a resolution says that a leaf lost, not that the job is gone. */
    private Optional<Snapshot> gone(JobId id) {
        List<ObjectNode> leaves = database.leaves(id.docId());
        boolean isLive = leaves.stream().anyMatch(leaf -> !leaf.path("_deleted").asBoolean());
        Optional<ObjectNode> removal =
                leaves.stream().filter(leaf -> !Resolution.isOfLoser(leaf)).findFirst();
        if (isLive || (removal.isEmpty() && !leaves.isEmpty())) {
            conflicts.look(id);
            return Optional.empty();
        }
        return Optional.of(Snapshot.gone(
                id, removal.map(leaf -> leaf.path("_rev").asText()).orElse("")));
    }
}
