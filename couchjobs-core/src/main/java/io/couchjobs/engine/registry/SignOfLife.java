package io.couchjobs.engine.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.DocIds;
import java.util.List;

/**
 * The last sign of life of a worker. Each write of the worker's registration makes a new sign of life, on whichever leaf.
 * After a network partition a registration has several leaves, and its worker may write on a leaf that readers do not see.
 * Immutable and thread-safe.
 *
 * @param leaves the sorted revisions of the registration's leaves; empty when the worker is not registered
 */
public record SignOfLife(List<String> leaves) {
    /** The value for a worker that is not registered. */
    public static final SignOfLife NONE = new SignOfLife(List.of());

    /** @param leaves in any order */
    public SignOfLife {
        leaves = leaves.stream().sorted().toList();
    }

    /** Reads all leaves of a registration. Returns {@link #NONE} when the worker is not registered. */
    public static SignOfLife read(CouchDatabase database, String worker) {
        List<ObjectNode> leaves = database.leaves(DocIds.WORKER + worker);
        boolean isGone = leaves.stream().allMatch(leaf -> leaf.path("_deleted").asBoolean());
        return isGone
                ? NONE
                : new SignOfLife(
                        leaves.stream().map(leaf -> leaf.path("_rev").asText()).toList());
    }
}
