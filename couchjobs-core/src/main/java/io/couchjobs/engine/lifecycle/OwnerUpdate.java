package io.couchjobs.engine.lifecycle;

import io.couchjobs.job.Job;
import io.couchjobs.job.Lock;
import java.util.Comparator;
import java.util.List;

/**
 * Data and progress that an owner wrote on a leaf that lost to another leaf of the same claim. Another process wrote a request
 * to the owner at the same moment. Data and progress are copied to the winner once. Data that is attached to the losing leaf is
 * lost with that leaf.
 */
final class OwnerUpdate {
    private OwnerUpdate() {}

    /** {@return the winner with the latest update on other leaves of its claim; the same job when it has that update} */
    static Job addTo(Job winner, List<Leaf> losers) {
        return losers.stream()
                .flatMap(loser -> loser.job().stream())
                .filter(job -> isOfClaimOf(winner, job) && Edit.lastUpdate(job).isAfter(Edit.lastUpdate(winner)))
                .max(Comparator.comparing(Edit::lastUpdate)
                        .thenComparing(job -> job.document().toString()))
                .map(latest -> ClusterTransitions.takeOverUpdate(winner, latest, Edit.lastUpdate(latest)))
                .orElse(winner);
    }

    static boolean isOfClaimOf(Job winner, Job job) {
        return job.lock().map(Lock::token).filter(winner::isLockedBy).isPresent();
    }
}
