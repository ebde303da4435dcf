package io.couchjobs.engine.scope;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.Listing;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WriteRefusedException;
import io.couchjobs.scope.Scope;
import io.couchjobs.scope.Submission;
import java.util.List;
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
    private final JobStore store;
    private final ServerClock clock;
    private final JobIndex index;

    ScopeCanceller(ScopeStore scopes, Listing listing, QueueParts parts) {
        this.scopes = scopes;
        this.listing = listing;
        this.store = parts.store();
        this.clock = parts.clock();
        this.index = parts.index();
    }

    void clear(Scope scope) {
        if (ScopeCounts.queued(index.counts().of(scope.jobType())) == 0) {
            return;
        }
        List<Job> waiting = waiting(scope);
        while (!waiting.isEmpty() && isStopped(scope)) {
            store.writeAll(cancelled(waiting)).forEach(WriteRefusedException::check);
            waiting = waiting(scope);
        }
    }

    private boolean isStopped(Scope scope) {
        return scopes.read(scope).filter(state -> !state.isRunning()).isPresent();
    }

    private List<Job> waiting(Scope scope) {
        JobFilter ofScope = JobFilter.all().type(scope.jobType());
        return Stream.of(JobStatus.WAITING, JobStatus.STUCK)
                .flatMap(status -> listing.all(ofScope.status(status)))
                .filter(store.site()::owns)
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
