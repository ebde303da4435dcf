package io.couchjobs.engine.create;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.ShownLeaves;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.util.List;
import java.util.Optional;

/**
 * The removal of one job, by repeated attempts. Not thread-safe.
 *
 * <p>On a cluster, a node that is cut off shows the only copy that it has. A deletion that was answered 202 may be with
 * a minority of the copies only. So the removal deletes the leaves that a majority of the copies has, until each
 * deletion is confirmed or no leaf is left.
 */
final class Removal {
    private static final int MOST_READINGS = 6;

    private final JobStore store;
    private final JobId id;
    private boolean begun;
    private int readings;

    Removal(JobStore store, JobId id) {
        this.store = store;
        this.id = id;
    }

    /** {@return whether anything was deleted} */
    boolean hasBegun() {
        return begun;
    }

    /**
     * Makes the next attempt.
     *
     * @return true when the job is gone for good; empty when the attempt must be repeated
     * @throws NotFoundException when there was no such job from the beginning
     * @throws UnconfirmedException when no majority of the copies is known to have the removal
     * @throws WriteRefusedException when the database refuses a deletion
     */
    Optional<Boolean> attempt() {
        Optional<List<ObjectNode>> agreed = majorityDocuments();
        List<ObjectNode> leaves = agreed.orElseGet(() -> store.documents(id));
        if (agreed.isPresent() && leaves.isEmpty() && !begun) {
            throw new NotFoundException(id);
        }
        boolean isDeleted = isDeleted(leaves);
        if (agreed.isEmpty() && leaves.isEmpty() && ++readings == MOST_READINGS) {
            throw new UnconfirmedException(id);
        }
        return agreed.isPresent() && isDeleted ? Optional.of(true) : Optional.empty();
    }

    /**
     * Returns the leaves that a majority of the copies has; empty when no majority is in reach, or while the leaves are
     * being changed.
     */
    private Optional<List<ObjectNode>> majorityDocuments() {
        if (!store.isCluster()) {
            return Optional.of(store.documents(id));
        }
        List<String> docIds = List.of(id.docId());
        return store.majority()
                .read(docIds, () -> ShownLeaves.read(store.database(), docIds))
                .map(found -> found.get(id.docId()))
                .map(JobStore::live);
    }

    /** Deletes the leaves. Returns whether a majority confirmed each deletion. */
    private boolean isDeleted(List<ObjectNode> leaves) {
        boolean confirmed = true;
        for (ObjectNode leaf : leaves) {
            WriteResult deleted = WriteRefusedException.check(store.delete(leaf));
            begun |= !(deleted instanceof WriteResult.Conflict);
            confirmed &= deleted instanceof WriteResult.Stored;
        }
        return confirmed;
    }
}
