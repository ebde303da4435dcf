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
 * Checks whether a claim still owns its job. If it does not, the check reports the end of the claim and halts the owner.
 * Thread-safe.
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

    /** Reports once that the claim no longer owns its job. */
    void end() {
        if (ended.complete(null)) {
            onEnd.run();
        }
    }

    boolean isEnded() {
        return ended.isDone();
    }

    /** Runs a task when the claim ends; at once if the claim has already ended. */
    void whenEnded(Runnable told) {
        var unused = ended.thenRun(told);
    }

    /** Halts an owner that was told before that the job is lost. Such a claim never owns the job again. */
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
     * Halts the owner when its lease is over, on a cluster. The lease does not come back, even if a write is confirmed and no
     * other claim is visible. The claim may have been withdrawn on a copy that is out of reach. An end may still be written.
     */
    void haltIfLeaseIsOver(Job next) {
        if (next.isLockedBy(token) && store.isCluster() && lease.isOver()) {
            throw lost("was not renewed for as long as its lease");
        }
    }

    /**
     * Returns whether no other claim or removal has overtaken a confirmed write. A write may be confirmed although another
     * owner has claimed the job on copies that the write did not reach. It may also be confirmed after a removal, because
     * readers do not see a tombstone beside a live leaf.
     *
     * @return false when no majority of the copies is in reach
     * @throws HaltException when another owner or a removal was first
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

    /** {@return the leaves of a majority; empty when no majority is in reach, so that no reading can halt the owner} */
    Optional<Leaves> majorityLeaves() {
        return store.majority().read(List.of(id.docId()), this::read).map(this::present);
    }

    /** {@return the leaves; empty when none of them can be a job} */
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
     * Returns the leaf on which this claim owns the job. The leaf that readers see may belong to another claim that has lost.
     * This does not halt the owner.
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
     * Halts the owner when its lease is over and a claim with the same fence or a greater one exists. Before that, no other
     * claim can own the job, unless an operator released it.
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

    /** Ends the claim. The job may have a conflict, which is then looked for and resolved. */
    private HaltException lost(String why) {
        store.look(id);
        end();
        return new HaltException(id, why);
    }
}
