package io.couchjobs.engine.scope;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
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
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Cancels the jobs that wait in a stopped scope. Thread-safe; any number of processes may do so at the same time.
 *
 * <p>It reads the jobs first, and then checks that the scope is stopped. So each of these jobs was there while the scope
 * was stopped. A job that was submitted after the scope was started again is not touched.
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
    /**
     * Cancellations that no majority of a cluster's copies has confirmed: the job, and the revision that cancels it. No
     * list shows these jobs.
     */
    private final Map<JobId, String> unconfirmed = new ConcurrentHashMap<>();

    ScopeCanceller(ScopeStore scopes, Listing listing, Canceller canceller, QueueParts parts) {
        this.scopes = scopes;
        this.listing = listing;
        this.canceller = canceller;
        this.store = parts.store();
        this.clock = parts.clock();
        this.index = parts.index();
    }

    /**
     * Cancels the jobs that wait in the scope, if the scope is stopped. Two kinds of jobs may still wait afterwards.
     * The first must be cancelled by a claim, and cannot be claimed now. The second has a conflict in which another
     * leaf counts more, so the job is not waiting at all.
     *
     * @throws UnconfirmedException when no majority of a cluster's copies confirms a cancellation; the next call asks
     *     for the confirmation again
     */
    void clear(Scope scope) {
        cancelAll(scope);
        confirm(scope);
    }

    private void cancelAll(Scope scope) {
        if (ScopeCounts.queued(index.counts().of(scope.jobType())) == 0) {
            return;
        }
        Set<JobId> left = new HashSet<>();
        List<Job> waiting = waiting(scope, left);
        while (!waiting.isEmpty() && isStopped(scope)) {
            cancelAtOnce(waiting.stream().filter(job -> !isOnlyByClaim(job)).toList());
            waiting.stream()
                    .filter(this::isOnlyByClaim)
                    .map(Job::id)
                    .filter(id -> !isCancelled(id))
                    .forEach(left::add);
            waiting = waiting(scope, left);
        }
    }

    private boolean isOnlyByClaim(Job job) {
        return store.isCluster() && ClusterTransitions.mayHaveEnded(job);
    }

    /** Cancels jobs on the revisions that were read. A job that has changed since is looked at again. */
    private void cancelAtOnce(List<Job> waiting) {
        List<Job> cancelled = cancelled(waiting);
        List<WriteResult> written = store.writer().writeAll(cancelled);
        List<Job> stored = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Job job = cancelled.get(i);
            if (written.get(i) instanceof WriteResult.Stored one) {
                stored.add(job.withRev(one.rev()));
            } else if (written.get(i) instanceof WriteResult.Accepted one) {
                unconfirmed.put(job.id(), one.rev());
            }
        }
        Set<JobId> standing = store.confirmation().standing(stored).orElse(Set.of());
        stored.stream()
                .filter(job -> !standing.contains(job.id()))
                .forEach(job -> unconfirmed.put(job.id(), job.rev().orElseThrow()));
        written.forEach(WriteRefusedException::check);
    }

    private void confirm(Scope scope) {
        Map<JobId, String> ofScope = new HashMap<>(unconfirmed);
        ofScope.keySet().removeIf(id -> !id.type().equals(scope.jobType()));
        if (ofScope.isEmpty() || !isStopped(scope)) {
            return;
        }
        List<CouchJobsException> troubles = new ArrayList<>();
        ofScope.forEach((id, rev) -> confirm(id, rev, troubles));
        if (!troubles.isEmpty()) {
            throw troubles.get(0);
        }
    }

    /** Confirms a cancellation. If another write overtook it, cancels the job again as it is now. */
    private void confirm(JobId id, String rev, List<CouchJobsException> troubles) {
        try {
            if (store.confirmation().of(id, rev, clock).isEmpty()) {
                boolean unused = isCancelled(id);
            }
            unconfirmed.remove(id, rev);
        } catch (WriteRefusedException refused) {
            unconfirmed.remove(id, rev);
            troubles.add(refused);
        } catch (CouchJobsException trouble) {
            troubles.add(trouble);
        }
    }

    private boolean isCancelled(JobId id) {
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
                .filter(job -> store.site().owns(job) && !left.contains(job.id()) && !unconfirmed.containsKey(job.id()))
                .limit(PAGE)
                .toList();
    }

    private List<Job> cancelled(List<Job> waiting) {
        return waiting.stream()
                .flatMap(job -> Transitions.cancel(job, REASON, clock.instant()).write().stream())
                .toList();
    }
}
