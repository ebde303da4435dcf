package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.type.Limit;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims of jobs that are not to be run: an owner died after it was asked to cancel the job, or too many owners died while they ran it.
 * On a cluster such a job waits until it is claimed once more, because only a claim can end it.
 */
final class Unrun {
    private static final Logger log = LoggerFactory.getLogger(Unrun.class);

    private Unrun() {}

    /** {@return whether the job is to be claimed only to be ended} */
    static boolean is(Job pending, SettingsStore settings) {
        return pending.isCancelRequested() || (pending.expirations() > 0 && diedTooOften(pending, settings));
    }

    /** Not when the last owner was asked for another run. */
    private static boolean diedTooOften(Job pending, SettingsStore settings) {
        OptionalInt most = settings.get(pending.type()).get(Limit.EXPIRATIONS);
        Instant asked = pending.times().getOrDefault("resubmitted", Instant.MIN);
        Instant claimed = pending.times().getOrDefault("claimed", Instant.MIN);
        return most.isPresent() && pending.expirations() > most.getAsInt() && !asked.isAfter(claimed);
    }

    /** {@return the claims of jobs that are to be run; the other jobs are ended, or their leases run out} */
    static List<LeasedJob> withoutEnded(List<LeasedJob> claims) {
        return claims.stream().filter(claim -> !isEnded(claim)).toList();
    }

    private static boolean isEnded(LeasedJob claim) {
        if (!claim.isUnrun()) {
            return false;
        }
        try {
            var unused = claim.endUnrun();
        } catch (HaltException lost) {
            log.debug("{} was lost before it was ended: {}", claim.id(), lost.getMessage());
        } catch (CouchJobsException trouble) {
            log.warn("{} cannot be ended, and its lease runs out: {}", claim.id(), trouble.getMessage());
        }
        return true;
    }
}
