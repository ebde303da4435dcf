package io.couchjobs.engine.gc;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Brings tombstones to every copy of a cluster before they are purged. A copy that was away may still have the job as
 * pending. Once the others have forgotten the tombstone, nothing tells this copy that the job is gone, and the job is run
 * again. Stateless.
 */
final class EveryCopy {
    private static final int MOST_ATTEMPTS = 3;

    private final CouchDatabase database;
    private final JobStore store;

    EveryCopy(JobStore store) {
        this.store = store;
        this.database = store.database();
    }

    /**
     * {@return the ids of the documents that now have exactly these leaves on every copy; empty when not every copy is in
     * reach}
     *
     * @param tombstones by document id, the leaves that are to be purged
     */
    Optional<Set<String>> take(Map<String, List<String>> tombstones) {
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(200), Duration.ofSeconds(1));
        Optional<Set<String>> taken = attempt(tombstones);
        while (taken.isEmpty() && backoff.attempts() < MOST_ATTEMPTS && backoff.pauseUnlessInterrupted()) {
            taken = attempt(tombstones);
        }
        return taken;
    }

    private Optional<Set<String>> attempt(Map<String, List<String>> tombstones) {
        return store.majority()
                .withEveryCopy(
                        tombstones.keySet(), copies -> copies == 1 ? tombstones.keySet() : spread(tombstones, copies));
    }

    private Set<String> spread(Map<String, List<String>> tombstones, int copies) {
        List<String> ids = List.copyOf(tombstones.keySet());
        List<Optional<List<ObjectNode>>> found = database.leavesOfAll(ids, copies);
        Set<String> taken = new HashSet<>();
        List<ObjectNode> revisions = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            List<ObjectNode> leaves = found.get(i).orElse(List.of());
            if (revs(leaves).equals(Set.copyOf(tombstones.get(ids.get(i))))) {
                taken.add(ids.get(i));
                revisions.addAll(leaves);
            }
        }
        return database.bulkRevisions(revisions, copies) ? taken : Set.of();
    }

    private static Set<String> revs(List<ObjectNode> leaves) {
        Set<String> revs = new HashSet<>();
        leaves.forEach(leaf -> revs.add(leaf.path("_rev").asText()));
        return revs;
    }
}
