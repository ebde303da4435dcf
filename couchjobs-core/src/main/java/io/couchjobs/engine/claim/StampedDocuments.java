package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.engine.store.SharedWriter;
import io.couchjobs.job.ClaimedJob;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.FencedDocuments;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobId;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Stamps documents with the claim that writes them. Thread-safe. */
final class StampedDocuments implements FencedDocuments {
    private static final String CLAIM = "claim";
    private static final String FENCE = "fence";

    private final SharedWriter writer;
    private final ClaimedJob claim;
    private final JobId job;
    /** Claims that came before this one. This claim owned the job after they had written. */
    private final Set<String> earlier = ConcurrentHashMap.newKeySet();

    /** @param database any database, of any server */
    StampedDocuments(CouchDatabase database, ClaimedJob claim) {
        this.writer = new SharedWriter(database, new ByClaim());
        this.claim = claim;
        this.job = claim.id();
    }

    @Override
    public ObjectNode change(String id, UnaryOperator<ObjectNode> change) {
        return writer.change(id, present -> stamped(present, change));
    }

    @Override
    public ObjectNode take(String id) {
        return change(id, UnaryOperator.identity());
    }

    private void requireOwned(ObjectNode document) {
        try {
            claim.assertOwned();
        } catch (HaltException lost) {
            throw new HaltException(
                    job,
                    "is not this owner's any more, and another owner has written "
                            + document.path("_id").asText());
        }
    }

    private ObjectNode stamped(ObjectNode present, UnaryOperator<ObjectNode> change) {
        ObjectNode base = present.deepCopy();
        base.remove("_rev");
        ObjectNode next = change.apply(base);
        next.set("_id", present.get("_id"));
        if (present.has("_rev")) {
            next.set("_rev", present.get("_rev"));
        }
        JsonNode stamps = present.path(STAMPS);
        ObjectNode all = stamps instanceof ObjectNode object ? object.deepCopy() : next.objectNode();
        all.putObject(job.docId()).put(CLAIM, claim.token()).put(FENCE, claim.fence());
        next.set(STAMPS, all);
        return next;
    }

    private JsonNode stampIn(ObjectNode document) {
        return document.path(STAMPS).path(job.docId());
    }

    /** {@return the claim of a stamp} A stamp by other programs may lack a claim; its text then serves as the claim. */
    private static String claimOf(JsonNode stamp) {
        return stamp.path(CLAIM).asText(stamp.toString());
    }

    /**
     * The owner of a leaf's stamp; a later owner is greater. A claim that is not known to be earlier than this one counts
     * as later.
     */
    private enum Whose {
        NOBODYS_OR_EARLIER,
        MINE,
        PERHAPS_LATER
    }

    private Whose whose(ObjectNode document) {
        JsonNode stamp = stampIn(document);
        if (stamp.isMissingNode() || earlier.contains(claimOf(stamp))) {
            return Whose.NOBODYS_OR_EARLIER;
        }
        return claimOf(stamp).equals(claim.token()) ? Whose.MINE : Whose.PERHAPS_LATER;
    }

    /** Orders leaves by their claims: the leaf of the later claim counts, not the longer branch. */
    private final class ByClaim implements SharedWriter.Kind {
        @Override
        public Comparator<SharedLeaf> later() {
            return Comparator.<SharedLeaf, Whose>comparing(leaf -> whose(leaf.plain()))
                    .thenComparingLong(leaf -> stampIn(leaf.plain()).path(FENCE).asLong())
                    .thenComparing(SharedLeaf.LATER);
        }

        @Override
        public boolean isKnown(ObjectNode present) {
            boolean isKnown = whose(present) != Whose.PERHAPS_LATER;
            if (!isKnown) {
                requireOwned(present);
                earlier.add(claimOf(stampIn(present)));
            }
            return isKnown;
        }

        @Override
        public boolean confirmsAlways() {
            return true;
        }

        @Override
        public CouchJobsException contended(String docId, int attempts) {
            return new ContentionException(job, attempts);
        }
    }
}
