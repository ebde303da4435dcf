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
 * Whether claims that a quorum confirmed are alone. CouchDB excludes claims of one revision, not of one document: two
 * creators of one id leave two leaves, and so does a creator that changes a job while it is cut off with a minority of
 * the copies. For a moment each leaf can be claimed and confirmed. Thread-safe.
 *
 * <p>So a claimer reads the leaves of such a job when its claim is confirmed, and owns the job only when no other leaf
 * is live. At most one of two claims on two leaves is alone then. Proof: each claim is on a majority of the copies
 * before its reading begins, and each reading asks a majority. So each claim shares a copy with the other's reading. If
 * neither reading saw the other claim, each reading came to its shared copy before the other claim did. Then the first
 * reading was before the second claim and the second reading before the first claim, while each claim was before its
 * own reading: a contradiction. The order matters, first the claim, then the reading: readings that begin earlier may
 * ask a copy that does not have the job at all, and both find nothing. And a live leaf never vanishes from a copy: it
 * is only ever written on.
 *
 * <p>CouchDB does not say when fewer copies than a majority have answered a reading. The claim itself must be among the
 * leaves read; so a node that was cut off before the claim came to its copy proves nothing. The remaining risk is a
 * node that loses the others in between.
 *
 * <p>Another claim of the same revision contests nothing. Only one child of a revision is ever answered by 201: a copy
 * takes one child of a leaf, and two copies must take it. So this claim is the confirmed one, and the other claimer was
 * told 202 and takes its own back. A claim of a later revision may have the same fence: a change of the priority keeps it. Such a
 * claim contests until its claimer has taken it back.
 *
 * <p>A tombstone contests a claim when its fence is at least that of the claimed revision: the claim was made at a copy
 * that did not have the removal, or that has a leaf which the ended run left behind.
 *
 * <p>No leaves are read for a job whose first revision is claimed and whose id couchjobs made: its creator wrote it
 * once, and always with the same bytes. One that has a fence already is put back from a copy, perhaps by several who do not
 * write the same: its leaves are read. A claimer of another leaf claims a later revision, and reads the leaves. One
 * such pair goes unnoticed: a change by a creator that was cut off is claimed while the first claim is under way, and
 * the copy that both majorities share fails just then.
 */
final class RivalLeaves {
    private static final Logger log = LoggerFactory.getLogger(RivalLeaves.class);

    private final JobStore store;

    RivalLeaves(JobStore store) {
        this.store = store;
    }

    /** The known standing of a claim. */
    enum Standing {
        /** No other leaf can be claimed. */
        ALONE,
        /** There is another leaf, which may be claimed, too, or says that the job was removed or had ended. */
        CONTESTED,
        /** The leaves could not be read, or the claim was not among them. */
        UNKNOWN
    }

    /**
     * Whether a job that is claimed may have another leaf, when it has several copies.
     *
     * @param base the job as it was before the claim
     */
    static boolean mayExist(Job base) {
        boolean isFirst = Fences.generation(base) == 1;
        return !isFirst || !base.id().isRandom() || Fences.hasFence(base);
    }

    /**
     * Reads all leaves of some jobs in one request; reads none when each document has one copy.
     *
     * @param claims claims that a quorum has confirmed
     * @return their standings; a job that is missing there is alone
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

    /** The claim may have been written on already, by a request to its owner. */
    private static Standing standing(Claimer.Answered claim, List<ObjectNode> leaves) {
        String base = claim.candidate().job().rev().orElse("");
        return Rivals.of(claim.job(), base, leaves)
                .map(rivals -> rivals.isEmpty() ? Standing.ALONE : Standing.CONTESTED)
                .orElse(Standing.UNKNOWN);
    }
}
