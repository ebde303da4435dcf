package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.claim.Finder;
import io.couchjobs.engine.create.Creator;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels jobs. On a cluster, only a claim may cancel a job that was taken from its last owner, and this class makes that
 * claim. Thread-safe.
 */
public final class Canceller {
    private static final Logger log = LoggerFactory.getLogger(Canceller.class);

    private final Creator creator;
    private final Finder finder;

    /** Does no I/O. */
    public Canceller(Creator creator, Finder finder) {
        this.creator = creator;
        this.finder = finder;
    }

    /**
     * As {@link Creator#cancel}, but also makes the claim that cancels a job at its next claim. This takes no longer than a
     * lease.
     */
    public CancelResult cancel(JobId id, CancelMode mode, @Nullable String reason) {
        CancelResult result = creator.cancel(id, mode, reason);
        return result == CancelResult.AT_NEXT_CLAIM && isCancelledByClaim(id) ? CancelResult.CANCELLED : result;
    }

    private boolean isCancelledByClaim(JobId id) {
        try {
            return finder.claim(id, EndAs::isCancelled)
                    .flatMap(HandClaims::end)
                    .filter(job -> job.status() == JobStatus.CANCELLED)
                    .isPresent();
        } catch (CouchJobsException trouble) {
            log.debug("{} cannot be claimed now, and its next claim cancels it: {}", id, trouble.toString());
            return false;
        }
    }
}
