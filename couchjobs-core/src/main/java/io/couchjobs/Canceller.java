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

/** Cancels jobs. On a cluster only a claim cancels a job whose owner died, so this process claims it for that. Thread-safe. */
final class Canceller {
    private static final Logger log = LoggerFactory.getLogger(Canceller.class);

    private final Engine engine;

    Canceller(Engine engine) {
        this.engine = engine;
    }

    CancelResult cancel(JobId id, CancelMode mode, @Nullable String reason) {
        CancelResult result = engine.creator().cancel(id, mode, reason);
        boolean mayWait =
                result == CancelResult.REQUESTED && engine.parts().store().isCluster();
        return mayWait && isCancelledByClaim(id) ? CancelResult.CANCELLED : result;
    }

    /** Where this process cannot claim the job, or not end it, the next claim cancels it. */
    private boolean isCancelledByClaim(JobId id) {
        try {
            return engine.finder()
                    .claim(id, job -> EndAs.of(job).isPresent())
                    .map(LeasedJob::endWithoutRun)
                    .filter(job -> job.status() == JobStatus.CANCELLED)
                    .isPresent();
        } catch (CouchJobsException trouble) {
            log.debug("{} is cancelled by its next claim: {}", id, trouble.toString());
            return false;
        }
    }
}
