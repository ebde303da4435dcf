package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.job.JobId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads jobs as a majority of the copies has them. The state of a job is unknown while its leaves are to be resolved, or when
 * there are only tombstones of losing leaves; its conflict is resolved soon. Thread-safe.
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
     * Empty when no part of the documents has a majority in reach. Jobs whose state is unknown are missing, and so are jobs of a
     * part without a majority; a document that is no job has an entry without a value.
     */
    Optional<Map<String, Optional<Snapshot>>> read(List<String> docIds) {
        return readTogether(docIds).or(() -> readByPart(majority.byPart(docIds)));
    }

    private Optional<Map<String, Optional<Snapshot>>> readTogether(List<String> docIds) {
        return majority.read(docIds, () -> snapshots(docIds));
    }

    /** On three nodes all parts have a majority or none; on more nodes one part may have none while others have one. */
    private Optional<Map<String, Optional<Snapshot>>> readByPart(Collection<List<String>> parts) {
        return parts.size() == 1
                ? Optional.empty()
                : parts.stream().flatMap(part -> readTogether(part).stream()).reduce(MajorityReader::union);
    }

    private static Map<String, Optional<Snapshot>> union(
            Map<String, Optional<Snapshot>> one, Map<String, Optional<Snapshot>> other) {
        Map<String, Optional<Snapshot>> both = new HashMap<>(one);
        both.putAll(other);
        return both;
    }

    private Map<String, Optional<Snapshot>> snapshots(List<String> docIds) {
        Map<String, Optional<Snapshot>> found = new HashMap<>();
        ShownLeaves.read(database, docIds)
                .forEach((docId, leaves) -> JobId.fromDocId(docId).ifPresent(id -> note(id, leaves, found)));
        return found;
    }

    private void note(JobId id, List<ObjectNode> leaves, Map<String, Optional<Snapshot>> found) {
        if (leaves.isEmpty()) {
            found.put(id.docId(), Optional.of(Snapshot.gone(id, "").confirmed()));
            return;
        }
        Resolution.settled(leaves)
                .ifPresentOrElse(
                        leaf -> found.put(id.docId(), snapshot(id, leaf).map(Snapshot::confirmed)),
                        () -> conflicts.look(id));
    }

    private static Optional<Snapshot> snapshot(JobId id, ObjectNode leaf) {
        if (leaf.path("_deleted").asBoolean()) {
            return Optional.of(Snapshot.gone(id, leaf.path("_rev").asText()));
        }
        return JobDocument.job(leaf).map(Snapshot::of);
    }
}
