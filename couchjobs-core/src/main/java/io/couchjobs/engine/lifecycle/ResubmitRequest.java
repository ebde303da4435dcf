package io.couchjobs.engine.lifecycle;

import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A request for another run, on a leaf that lost to another leaf of the same claim. The owner or a resolver wrote the other
 * leaf at the same moment. The request is copied to the winner once.
 */
final class ResubmitRequest {
    private ResubmitRequest() {}

    /** {@return the winner with the latest request on other leaves of its claim; the same job when there is nothing to do} */
    static Job addTo(Job winner, List<Leaf> losers) {
        if (!winner.status().isLocked() || winner.isResubmitted()) {
            return winner;
        }
        return losers.stream()
                .flatMap(loser -> loser.job().stream())
                .filter(job -> job.isResubmitted() && OwnerUpdate.isOfClaimOf(winner, job))
                .max(Comparator.comparing(ResubmitRequest::at)
                        .thenComparing(
                                job -> job.document().path(Field.RESUBMIT).toString()))
                .filter(job -> !isDroppedBy(winner, at(job)))
                .map(job -> ClusterTransitions.takeOverResubmit(winner, job, at(job)))
                .orElse(winner);
    }

    /** {@return whether a later cancel request on the winner drops the request for another run} */
    private static boolean isDroppedBy(Job winner, Instant at) {
        return winner.isCancelRequested()
                && winner.times().getOrDefault("cancelRequested", Instant.EPOCH).isAfter(at);
    }

    private static Instant at(Job job) {
        return job.times().getOrDefault("resubmitted", Instant.EPOCH);
    }
}
