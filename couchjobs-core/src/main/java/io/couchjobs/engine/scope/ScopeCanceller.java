package io.couchjobs.engine.scope;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.Listing;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.worker.Canceller;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Cancels what waits in a scope that is stopped. Thread-safe; any number of processes may do it at the same time.
 *
 * <p>Whether the scope is stopped is asked after its jobs were read. So each of them was there while it was stopped; one that was
 * submitted after it was started again is not touched.
 */
final class ScopeCanceller {
    static final String REASON = Submission.Answer.SCOPE_SHUTDOWN + ": the scope was stopped before the job ran";
    private static final int PAGE = 500;

    private final ScopeStore scopes;
    private final Listing listing;
    private final Canceller canceller;
    private final JobStore store;
    private final ServerClock clock;
    private final JobIndex index;

    ScopeCanceller(ScopeStore scopes, Listing listing, Canceller canceller, QueueParts parts) {
        this.scopes = scopes;
        this.listing = listing;
        this.canceller = canceller;
        this.store = parts.store();
        this.clock = parts.clock();
        this.index = parts.index();
    }

    /**
     * A job that only a claim may cancel, which was not possible now, still waits then. So does one that only seems to wait, while
     * another leaf of it counts more: it is looked at again when its conflict is resolved.
     */
    void clear(Scope scope) {
        if (ScopeCounts.queued(index.counts().of(scope.jobType())) == 0) {
            return;
        }
        Set<JobId> left = new HashSet<>();
        List<Job> waiting = waiting(scope, left);
        while (!waiting.isEmpty() && isStopped(scope)) {
            Map<Boolean, List<Job>> onlyByClaim =
                    waiting.stream().collect(Collectors.partitioningBy(this::isOnlyByClaim));
            store.writeAll(cancelled(onlyByClaim.get(false))).forEach(WriteRefusedException::check);
            onlyByClaim.get(true).stream()
                    .map(Job::id)
                    .filter(id -> !isCancelledByClaim(id))
                    .forEach(left::add);
            waiting = waiting(scope, left);
        }
    }

    private boolean isOnlyByClaim(Job job) {
        return store.isCluster() && ClusterTransitions.mayHaveEnded(job);
    }

    private boolean isCancelledByClaim(JobId id) {
        try {
            return canceller.cancel(id, CancelMode.IF_QUEUED, REASON) == CancelResult.CANCELLED;
        } catch (NotFoundException gone) {
            return true;
        }
    }

    private boolean isStopped(Scope scope) {
        return scopes.read(scope).filter(state -> !state.isRunning()).isPresent();
    }

    private List<Job> waiting(Scope scope, Set<JobId> left) {
        JobFilter ofScope = JobFilter.all().type(scope.jobType());
        return Stream.of(JobStatus.WAITING, JobStatus.STUCK)
                .flatMap(status -> listing.all(ofScope.status(status)))
                .filter(job -> store.site().owns(job) && !left.contains(job.id()))
                .limit(PAGE)
                .toList();
    }

    /** On the revisions that were read: what changed since is looked at again. */
    private List<Job> cancelled(List<Job> waiting) {
        return waiting.stream()
                .flatMap(job -> Transitions.cancel(job, REASON, clock.instant()).write().stream())
                .toList();
    }
}
