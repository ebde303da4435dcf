package io.couchjobs.engine.create;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.registry.SignOfLife;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobRefusedException;
import io.couchjobs.job.WorkerInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Takes jobs from their owners, for an operator. Thread-safe. */
public final class Releaser {
    private final JobStore store;
    private final Creator creator;

    public Releaser(JobStore store, Creator creator) {
        this.store = store;
        this.creator = creator;
    }

    /**
     * Takes a job whose owner is believed to be dead, because a list shows no registration of that owner. A list comes
     * from one copy of each shard, and this copy may lack a registration. So the registration is read by its id, with
     * all its leaves, as a majority of the copies has them.
     */
    public Job release(WorkerInfo.OwnedJob seen) {
        Optional<SignOfLife> owner = store.majority()
                .read(List.of(DocIds.WORKER + seen.worker()), () -> SignOfLife.read(store.database(), seen.worker()));
        if (owner.isEmpty()) {
            throw refused(seen, "no majority of the copies is in reach to say whether that worker is registered");
        } else if (!owner.get().equals(SignOfLife.NONE)) {
            throw refused(seen, "that worker is registered");
        }
        return creator.change(
                seen.id(),
                "has changed since it was looked at",
                (job, now) ->
                        job.rev().filter(seen.rev()::equals).isPresent() ? freed(job, now) : Decision.refused(job));
    }

    /** Takes a job from its owner, whether the owner is dead or not. */
    public Job release(JobId id) {
        return creator.change(id, "owned by nobody", this::freed);
    }

    /** Releases a job. On a cluster, neither a release nor an expiry ends a job. */
    private Decision freed(Job job, Instant now) {
        return store.isCluster() ? ClusterTransitions.release(job, now) : Transitions.release(job, now);
    }

    private static JobRefusedException refused(WorkerInfo.OwnedJob seen, String why) {
        return new JobRefusedException(
                seen.id(), "belongs to worker " + seen.worker() + ", and " + why + "; nothing was written");
    }
}
