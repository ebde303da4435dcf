package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;

/**
 * One removal of a job, attempt after attempt. Not thread-safe.
 *
 * <p>On a cluster a deletion that no quorum confirmed may be one that only a minority of the copies has: whoever claims the job at the
 * others undoes it. A tombstone cannot be written once more, so a cancelled job is created on top of it, which only copies that have the
 * tombstone take. When a quorum confirms that, nobody can claim what was before it any more, and it is deleted in turn.
 */
final class Removal {
    /** Each makes the branch of a minority longer. */
    private static final int MOST_PROOFS = 3;

    private final JobStore store;
    private final JobId id;
    private boolean begun;
    private boolean proven;
    private int proofs;
    private ObjectNode tombstone;

    Removal(JobStore store, JobId id) {
        this.store = store;
        this.id = id;
        this.tombstone = JobTombstone.ofNothing(id.docId());
    }

    /** {@return whether anything was deleted} */
    boolean hasBegun() {
        return begun;
    }

    /**
     * Goes on.
     *
     * @return true when the job is gone for good; empty when this must be tried again
     * @throws JobNotFoundException when there was no such job from the beginning
     * @throws UnconfirmedException when no quorum confirms it
     * @throws WriteRefusedException when the database refuses it
     */
    Optional<Boolean> attempt() {
        List<ObjectNode> leaves = store.documents(id);
        if (!leaves.isEmpty()) {
            return isDeleted(leaves) ? Optional.of(true) : Optional.empty();
        }
        if (!begun) {
            throw new JobNotFoundException(id);
        }
        if (!proven && store.isCluster()) {
            prove();
            return Optional.empty();
        }
        return Optional.of(true);
    }

    private boolean isDeleted(List<ObjectNode> leaves) {
        boolean confirmed = true;
        for (ObjectNode leaf : leaves) {
            tombstone = JobTombstone.ofRemoved(leaf);
            WriteResult deleted = WriteRefusedException.check(store.delete(leaf));
            begun |= !(deleted instanceof WriteResult.Conflict);
            confirmed &= deleted instanceof WriteResult.Stored || (proven && deleted instanceof WriteResult.Accepted);
            if (deleted instanceof WriteResult.Accepted) {
                store.look(id);
            }
        }
        return confirmed;
    }

    private void prove() {
        if (proofs++ == MOST_PROOFS) {
            throw new UnconfirmedException(id);
        }
        WriteResult written = WriteRefusedException.check(store.join(store.writeSoon(JobTombstone.grave(tombstone))));
        proven = written instanceof WriteResult.Stored stored && store.isAllThereIs(id, stored.rev());
    }
}
