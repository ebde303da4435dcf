package io.couchjobs;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.Engine;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.lifecycle.EndAs;
import io.couchjobs.job.CancelMode;
import io.couchjobs.job.CancelResult;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels jobs. On a cluster only a claim cancels a job that others took from its last owner, so this process claims it for that. Thread-safe. */
final class Canceller {
    private static final Logger log = LoggerFactory.getLogger(Canceller.class);

    private final Engine engine;

    Canceller(Engine engine) {
        this.engine = engine;
    }

    CancelResult cancel(JobId id, CancelMode mode, @Nullable String reason) {
        CancelResult result = engine.creator().cancel(id, mode, reason);
        return result == CancelResult.AT_NEXT_CLAIM && isCancelledByClaim(id) ? CancelResult.CANCELLED : result;
    }

    private boolean isCancelledByClaim(JobId id) {
        try {
            return engine.finder()
                    .claim(id, EndAs::isCancelled)
                    .filter(this::isCancelled)
                    .isPresent();
        } catch (CouchJobsException trouble) {
            log.debug("{} cannot be claimed now, and its next claim cancels it: {}", id, trouble.toString());
            return false;
        }
    }

    /** Nobody renews its lease, so this takes no longer than a lease. */
    private boolean isCancelled(LeasedJob claim) {
        try {
            return claim.endWithoutRun().status() == JobStatus.CANCELLED;
        } catch (CouchJobsException trouble) {
            log.warn("{} cannot be cancelled, and its lease runs out: {}", claim.id(), trouble.getMessage());
            return false;
        }
    }
}
