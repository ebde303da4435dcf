package io.couchjobs.engine.claim;

import io.couchjobs.engine.limit.Candidate;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.store.ClaimRecovery;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A claim of this worker that may have been stored, although it leads to no run. Immutable and thread-safe. */
record LostClaim(QueueParts parts, Limits limits, UnconfirmedClaims unconfirmed, Candidate candidate, Lease lease)
        implements ClaimRecovery.LostClaim {
    private static final Logger log = LoggerFactory.getLogger(LostClaim.class);

    @Override
    public Job job() {
        return candidate.job();
    }

    @Override
    public String token() {
        return candidate.token();
    }

    @Override
    public boolean isLeaseOver() {
        return lease.isOver();
    }

    @Override
    public void giveBack(Job claimed) {
        var policy = parts.settings().retryPolicyOf(claimed.type());
        try {
            new LeasedJob(parts.store(), parts.clock(), policy, token(), claimed, lease, this::isNone).release();
            log.debug("the claim of {} was stored though its answer was lost; it is given back", claimed.id());
        } catch (HaltException notOursAnyMore) {
            log.debug("{}", notOursAnyMore.getMessage());
        }
    }

    @Override
    public void isNone() {
        limits.lost(candidate);
    }

    @Override
    public void isWithdrawn() {
        unconfirmed.tied(candidate.id());
        limits.lost(candidate);
    }
}
