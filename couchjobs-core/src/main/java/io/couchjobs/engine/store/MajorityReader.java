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
 * Reads jobs in the state that a majority of the copies has. The state of a job is unknown while its leaves are in conflict,
 * or if there are only tombstones of losing leaves. Such a conflict is resolved soon. Thread-safe.
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
     * Reads jobs by document id. The result is empty when no shard has a reachable majority. It has no entry for jobs whose
     * state is unknown and for jobs of a shard without a majority. A document that is not a job has an entry without a value.
     */
    Optional<Map<String, Optional<Snapshot>>> read(List<String> docIds) {
        return readTogether(docIds).or(() -> readByPart(majority.byPart(docIds)));
    }

    private Optional<Map<String, Optional<Snapshot>>> readTogether(List<String> docIds) {
        return majority.read(docIds, () -> snapshots(docIds));
    }

    /**
     * Reads each shard separately. With three nodes all shards have a majority or none has one. With more nodes, some may
     * have one.
     */
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
