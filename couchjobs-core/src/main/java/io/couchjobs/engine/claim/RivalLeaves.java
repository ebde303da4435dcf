package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.lifecycle.Rivals;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether confirmed claims are alone. CouchDB excludes two claims of one revision, but not two claims of one
 * document. Two creators of one id leave two leaves. So does a creator that changes a job while it is cut off with a minority
 * of the copies. For a short time each leaf can be claimed and confirmed. Thread-safe.
 *
 * <p>So a claimer reads the leaves of such a job after its claim is confirmed, and owns the job only when no other leaf is
 * live. Then at most one of two claims on two leaves is alone. Proof: each claim is on a majority of the copies before its
 * reading begins, and each reading asks a majority. So each claim shares a copy with the other claim's reading. If neither
 * reading saw the other claim, each reading came to the shared copy before the other claim did. Then the first reading preceded
 * the second claim, and the second reading preceded the first claim. But each claim preceded its own reading: a contradiction.
 * The order of claim and reading matters. Readings that begin before the claims may ask a copy that does not have the job at
 * all, and both find nothing. A live leaf never vanishes from a copy: it can only be replaced by a newer revision.
 *
 * <p>CouchDB does not report that fewer copies than a majority have answered a reading. The claim itself must be among the
 * leaves read. So a node that was cut off before the claim reached its copy proves nothing. One risk remains: a node that loses
 * the other nodes between the claim and the reading.
 *
 * <p>Another claim of the same revision does not contest a claim. Only one child of a revision is ever answered by 201: a copy
 * takes one child of a leaf, and two copies must take it. So this claim is the confirmed one. The other claimer got a 202, and
 * withdraws its claim. A claim of a later revision may have the same fence, because a change of the priority keeps the fence.
 * Such a claim contests until its claimer has withdrawn it.
 *
 * <p>A tombstone contests a claim when its fence is at least that of the claimed revision. In this case the claim was made at a
 * copy that did not have the removal, or that has a leaf from before the end of the run.
 *
 * <p>No leaves are read for a job whose first revision is claimed and whose id couchjobs made. The creator of such a job wrote
 * it once, always with the same bytes. A job that already has a fence was restored from a backup, perhaps by several processes
 * that write different bytes, so its leaves are read. A claimer of another leaf claims a later revision, and reads the leaves.
 * One pair of claims goes unnoticed. A creator's change that was cut off is claimed while the first claim is under way, and the
 * copy that both majorities share fails at that moment.
 */
final class RivalLeaves {
    private static final Logger log = LoggerFactory.getLogger(RivalLeaves.class);

    private final JobStore store;

    RivalLeaves(JobStore store) {
        this.store = store;
    }

    /** The known standing of a claim among the leaves. */
    enum Standing {
        /** No other leaf can be claimed. */
        ALONE,
        /** Another leaf may be claimed, too, or shows that the job was removed or had ended. */
        CONTESTED,
        /** The leaves could not be read, or the claim was not among them. */
        UNKNOWN
    }

    /**
     * Returns whether a job on a cluster may have another leaf beside a claimed one.
     *
     * @param base the job before the claim
     */
    static boolean mayExist(Job base) {
        boolean isFirst = Fences.generation(base) == 1;
        return !isFirst || !base.id().isRandom() || Fences.hasFence(base);
    }

    /**
     * Reads all leaves of the claimed jobs in one request. Reads none when each document has only one copy.
     *
     * @param claims claims that a majority has confirmed
     * @return the standings of the claims; a claim that is missing in the map is alone
     */
    Map<JobId, Standing> of(List<Claimer.Answered> claims) {
        try {
            return claims.isEmpty() || !store.isCluster() ? Map.of() : read(claims);
        } catch (RuntimeException trouble) {
            log.debug("nobody tells whether {} claims are alone; they are withdrawn", claims.size(), trouble);
            Map<JobId, Standing> unknown = new HashMap<>();
            claims.forEach(claim -> unknown.put(claim.job().id(), Standing.UNKNOWN));
            return unknown;
        }
    }

    private Map<JobId, Standing> read(List<Claimer.Answered> claims) {
        List<Optional<List<ObjectNode>>> leaves = store.database()
                .leavesOfAll(
                        claims.stream().map(claim -> claim.job().id().docId()).toList());
        Map<JobId, Standing> standings = new HashMap<>();
        for (int i = 0; i < claims.size(); i++) {
            Claimer.Answered claim = claims.get(i);
            standings.put(
                    claim.job().id(),
                    leaves.get(i).map(found -> standing(claim, found)).orElse(Standing.UNKNOWN));
        }
        return standings;
    }

    /** {@return the standing of a claim} The claim may have a newer revision already, from a request to its owner. */
    private static Standing standing(Claimer.Answered claim, List<ObjectNode> leaves) {
        String base = claim.candidate().job().rev().orElse("");
        return Rivals.of(claim.job(), base, leaves)
                .map(rivals -> rivals.isEmpty() ? Standing.ALONE : Standing.CONTESTED)
                .orElse(Standing.UNKNOWN);
    }
}
