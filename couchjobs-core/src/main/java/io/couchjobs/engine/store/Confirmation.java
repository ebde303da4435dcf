package io.couchjobs.engine.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out whether a change that no quorum of a cluster confirmed is there to stay. Reading does not tell: a node that is cut off
 * answers with the only copy that it has. So the job is written once more, as it is. When a quorum confirms that, a
 * majority of the copies has the change, and the revision before it cannot be claimed any more. A claim made just
 * before shows when all leaves of a majority of the copies are read afterwards. Thread-safe.
 */
public final class Confirmation {
    private static final int MOST_ATTEMPTS = 6;
    private static final int MOST_DOUBTFUL = 1_000;

    private final JobStore store;
    private final InstantSource clock;
    /**
     * Jobs with a change that is stored somewhere and was not confirmed. A caller that tries again finds the change
     * there, but it is not done yet.
     */
    private final Set<JobId> doubtful =
            Collections.synchronizedSet(Collections.newSetFromMap(RecentMap.byUse(MOST_DOUBTFUL)));

    public Confirmation(JobStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * Waits for the confirmation, for a few seconds at most.
     *
     * @param id the job
     * @param rev the revision that the change made
     * @return the job as it is now; empty when others wrote at the same time and have won, or when the copies that are in reach now
     *     have not heard of the change
     * @throws UnconfirmedException when no quorum confirms it
     * @throws WriteRefusedException when the database refuses to store the job as it is
     */
    public Optional<Job> of(JobId id, String rev) {
        doubtful.add(id);
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(50), Duration.ofSeconds(1));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            store.settle(id);
            Optional<Job> present = store.read(id).filter(job -> goesBackTo(rev, job));
            if (present.isEmpty()) {
                return present;
            }
            Job kept = Transitions.keep(present.get(), clock.instant());
            WriteResult written = WriteRefusedException.check(store.write(kept));
            if (written instanceof WriteResult.Stored stored && isAllThereIs(id, stored.rev())) {
                doubtful.remove(id);
                return Optional.of(kept.withRev(stored.rev()));
            }
            UnconfirmedWrites.pause(backoff, id);
        }
        throw new UnconfirmedException(id);
    }

    /**
     * Confirms a job that already is as wanted. An earlier try may have written it without a confirmation.
     *
     * @param present the job as it was read
     * @return the job as it is now; empty when this must be tried again
     */
    public Optional<Job> ofFound(Job present) {
        return doubtful.contains(present.id()) ? of(present.id(), present.rev().orElseThrow()) : Optional.of(present);
    }

    private boolean isAllThereIs(JobId id, String rev) {
        return store.majority()
                .read(List.of(id.docId()), () -> store.isAllThereIs(id, rev))
                .orElse(false);
    }

    /** The node that answers may be another one than the one that took the change. */
    private boolean goesBackTo(String rev, Job job) {
        String present = job.rev().orElseThrow();
        return present.equals(rev)
                || store.database().history(job.id().docId(), present).contains(rev);
    }
}
