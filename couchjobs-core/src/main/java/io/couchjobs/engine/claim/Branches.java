package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
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
 * Whether claims that a quorum confirmed are alone. CouchDB excludes claims of one revision, not of one document: two creators
 * of one id leave two leaves, as does a creator who changes a job while it is cut off with a minority of the copies, and for
 * a moment each can be claimed and confirmed. Thread-safe.
 *
 * <p>So who claims such a job reads its leaves when the claim is confirmed, and owns it only when there is no other that is not
 * deleted. Of two claims on two leaves at most one is alone then. Each is on a majority of the copies before its reading
 * begins, and each reading asks a majority; so of both pairs, a claim and the other's reading, each shares a copy. If neither
 * reading saw the other claim, each came to the shared copy before the other claim did: the first before the second was written, the
 * second before the first was, and each was written before its own reading. That is a circle. It needs the order, first the
 * claim, then the reading: readings that begin before may ask a copy that has not heard of the job at all, and both find
 * nothing. And the leaves of a copy never vanish while they live: a leaf is only ever written on.
 *
 * <p>CouchDB does not say when fewer copies than a majority have answered a reading. The claim itself must be among what was
 * read; so a node that was cut off before the claim came to its copy proves nothing. What is left is a node that loses
 * the others in between.
 *
 * <p>Another claim of the same revision contests nothing. Of the children of one revision only one is ever answered 201: a copy
 * takes one child of a leaf, and two copies must take it. So this claim is the confirmed one, and the other claimer was told 202 and
 * takes its own back.
 *
 * <p>A tombstone contests a claim when its fence is at least that of what was claimed: the claim was made at a copy that had not heard
 * of the removal, or that has a leaf which the ended run left behind.
 *
 * <p>A job whose first revision is claimed, and whose id couchjobs made, is not asked about: its creator wrote it once, and
 * always with the same bytes. Whoever else has another leaf of it claims a later revision, and asks. One such pair is not told
 * apart: a change by a creator who was cut off is claimed while the first claim is under way, and the copy that both majorities
 * share fails just then.
 */
final class Branches {
    private static final Logger log = LoggerFactory.getLogger(Branches.class);

    private final JobStore store;

    Branches(JobStore store) {
        this.store = store;
    }

    /**
     * A claim.
     *
     * @param base the revision that was claimed
     * @param stored the job as the claim was stored
     */
    record Claim(String base, Job stored) {
        JobId id() {
            return stored.id();
        }
    }

    /** What is known about a claim. */
    enum Standing {
        /** No other leaf can be claimed. */
        ALONE,
        /** There is another leaf, which may be claimed, too, or says that the job was removed or had ended. */
        CONTESTED,
        /** The leaves could not be read, or the claim was not among them. */
        UNKNOWN
    }

    /**
     * Whether a job that is claimed may have another leaf, where there are several copies of it.
     *
     * @param base the job as it was before the claim
     */
    static boolean mayExist(Job base) {
        boolean isFirst = Rev.generation(base.rev().orElse("")) == 1;
        return !isFirst || !base.id().isRandom();
    }

    /**
     * Reads all leaves of some jobs in one request; of none where there is one copy of each document.
     *
     * @param claims claims that a quorum has confirmed
     * @return how they stand; a job that is missing there is alone
     */
    Map<JobId, Standing> of(List<Claim> claims) {
        try {
            return claims.isEmpty() || !store.isCluster() ? Map.of() : read(claims);
        } catch (RuntimeException trouble) {
            log.debug("nobody tells whether {} claims are alone; they are given back", claims.size(), trouble);
            Map<JobId, Standing> unknown = new HashMap<>();
            claims.forEach(claim -> unknown.put(claim.id(), Standing.UNKNOWN));
            return unknown;
        }
    }

    private Map<JobId, Standing> read(List<Claim> claims) {
        List<Optional<List<ObjectNode>>> leaves = store.database()
                .leavesOfAll(claims.stream().map(claim -> claim.id().docId()).toList());
        Map<JobId, Standing> standings = new HashMap<>();
        for (int i = 0; i < claims.size(); i++) {
            Claim claim = claims.get(i);
            standings.put(
                    claim.id(),
                    leaves.get(i)
                            .map(found -> standing(claim.stored, claim.base, found))
                            .orElse(Standing.UNKNOWN));
        }
        return standings;
    }

    /** The claim may have been written on already, by somebody who asks its owner for something. */
    private static Standing standing(Job claim, String base, List<ObjectNode> leaves) {
        return Rivals.of(claim, base, leaves)
                .map(rivals -> rivals.isEmpty() ? Standing.ALONE : Standing.CONTESTED)
                .orElse(Standing.UNKNOWN);
    }
}
