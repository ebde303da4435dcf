package io.couchjobs.engine.claim;

import io.couchjobs.engine.lifecycle.Rivals;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.MalformedDocumentException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out whether a claim owns its job still. When it does not, its end is told, and its owner halts. Thread-safe.
 */
final class ClaimCheck {
    private final JobStore store;
    private final JobId id;
    private final String token;
    private final Lease lease;
    private final Runnable onEnd;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    ClaimCheck(JobStore store, JobId id, String token, Lease lease, Runnable onEnd) {
        this.store = store;
        this.id = id;
        this.token = token;
        this.lease = lease;
        this.onEnd = onEnd;
    }

    /** Tells once that the claim does not own its job any more. */
    void end() {
        if (ended.complete(null)) {
            onEnd.run();
        }
    }

    boolean isEnded() {
        return ended.isDone();
    }

    /** Also calls this task when the claim ends; at once if the claim has ended already. */
    void whenEnded(Runnable told) {
        var unused = ended.thenRun(told);
    }

    /** An owner that was told once that the job is lost cannot have it back. */
    void haltIfTold(Job job) {
        if (job.isLockedBy(token) && isEnded()) {
            throw new HaltException(id, "is not this owner's any more");
        }
    }

    void haltIfLeaseIsOver() {
        if (lease.isOver()) {
            throw lost("could not be confirmed by a majority of its copies for as long as its lease");
        }
    }

    /**
     * On a cluster a lease that is over never comes back, though a write of the job is confirmed and no other claim shows: the claim may
     * have been withdrawn on a copy that has not told the others. An end may still be written.
     */
    void haltIfLeaseIsOver(Job next) {
        if (next.isLockedBy(token) && store.isCluster() && lease.isOver()) {
            throw lost("was not renewed for as long as its lease");
        }
    }

    /**
     * A write may be confirmed though the job has another owner, whom the copies that stored it do not know yet, or was removed: readers
     * do not see a tombstone beside a live leaf.
     *
     * @return false when no majority of the copies is in reach any more
     * @throws HaltException when another owner, or a removal, was first
     */
    boolean isAhead(Job next) {
        if (!store.isCluster()) {
            return true;
        }
        Optional<Boolean> isOvertaken = store.majority()
                .read(
                        List.of(id.docId()),
                        () -> Rivals.haveOvertaken(next, store.database().leavesWithHistories(id.docId())));
        if (isOvertaken.orElse(false)) {
            throw lost("was claimed by another owner, or removed, before this was confirmed");
        }
        return isOvertaken.isPresent();
    }

    /** Empty when no majority of the copies is in reach: then no reading can mean a halt. */
    Optional<Leaves> majorityLeaves() {
        return store.majority().read(List.of(id.docId()), this::read).map(this::present);
    }

    /** Empty when none of them can be a job. */
    private Optional<Leaves> read() {
        try {
            return Optional.of(store.leaves(id));
        } catch (MalformedDocumentException overwritten) {
            return Optional.empty();
        }
    }

    private Leaves present(Optional<Leaves> leaves) {
        if (leaves.isEmpty() || leaves.get().winner().isEmpty()) {
            end();
            throw new HaltException(
                    id, leaves.isEmpty() ? "was overwritten by something that is no job" : "was removed");
        }
        return leaves.get();
    }

    /**
     * The leaf by which this claim owns the job. The one that readers see may belong to another claim, which has lost:
     * that is no halt.
     */
    Job owned(Leaves present, Job known) {
        Optional<Job> own = present.ownedBy(token);
        if (own.isEmpty()) {
            end();
            throw notOurs(present.winner().orElse(known));
        }
        haltIfRivalled(present, own.get());
        return own.get().withDataOf(known);
    }

    /**
     * Until the lease is over, no other claim can own the job, unless an operator released it. After the lease, a claim with the same
     * fence or a greater one owns it.
     */
    void haltIfRivalled(Leaves present, Job own) {
        if (present.areInConflict() && lease.isOver() && present.rival(own, token)) {
            end();
            throw notOurs(present.winner().orElse(own));
        }
    }

    static HaltException notOurs(Job present) {
        return new HaltException(present.id(), "is " + present.status().json() + " and not this owner's any more");
    }

    /** The job may have a conflict: it is looked for, and resolved. */
    private HaltException lost(String why) {
        store.look(id);
        end();
        return new HaltException(id, why);
    }
}
