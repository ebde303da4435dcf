package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.claim.LeasedJob;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.ServerClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the attached data of a job before its handler runs. An unreachable database is not the job's fault, so the reading is
 * retried until the lease is over. A reachable database may have lost the data. In that case the run fails.
 *
 * @param backoff the pauses between two attempts
 */
record AttachedDataReading(LeasedJob claim, ServerClock clock, Backoff backoff) {
    private static final Logger log = LoggerFactory.getLogger(AttachedDataReading.class);
    /** The number of failures after which a reachable database counts as having lost the data: about 20 seconds. */
    private static final int MOST_FAILURES = 10;

    /**
     * @throws CouchException when the data cannot be read, although the job's lease was renewed in the meantime, or the thread
     *     is interrupted
     */
    void read() {
        long began = clock.nanos();
        while (claim.job().lacksData()) {
            try {
                var unused = claim.data();
            } catch (CouchException trouble) {
                warnOnce(trouble);
                boolean isLost = isServerThere(trouble, began) && backoff.attempts() >= MOST_FAILURES;
                if (isLost || !backoff.pauseUnlessInterrupted()) {
                    throw trouble;
                }
            }
        }
    }

    private boolean isServerThere(CouchException trouble, long began) {
        return !(trouble instanceof CouchUnreachableException) && claim.confirmedNanos() - began > 0;
    }

    private void warnOnce(CouchException trouble) {
        String what = "cannot read the data of {}, trying again until its lease runs out: {}";
        if (backoff.attempts() == 0) {
            log.warn(what, claim.id(), trouble.getMessage());
        } else {
            log.debug(what, claim.id(), trouble.getMessage());
        }
    }
}
