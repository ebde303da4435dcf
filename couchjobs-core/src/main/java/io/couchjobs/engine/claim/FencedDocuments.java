package io.couchjobs.engine.claim;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.store.SharedLeaf;
import io.couchjobs.engine.store.SharedWriter;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.JobId;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Documents that a job writes outside of the queue, safe from owners that do not know yet that they lost the job.
 * Thread-safe. Takes the place of the RFC's transactional update: CouchDB cannot change two documents together.
 *
 * <p>Each write stamps the document, in its field {@value #STAMPS}, with the job and the claim that wrote it. Who finds the stamp
 * of another claim of the same job there asks the job whose it is, and halts unless it is his own. What an earlier owner wrote
 * <em>before</em> the later one's first write stays, so a later owner finds it, and decides whether the work is done.
 *
 * <p>Neither clocks nor numbers decide: a stamp was written before its reader asked, so when the reader still owns the job, the
 * stamp's claim came before his, and when he does not, he must not write. A later owner is never halted by the stamp of a
 * former one, whatever became of the job in between.
 *
 * <p>Whoever else writes such a document must keep the field.
 */
public final class FencedDocuments {
    /** The field with the stamps, by job: {@code {"job:TYPE:ID": {"claim": "token", "fence": number}}}. */
    public static final String STAMPS = "fences";

    private static final String CLAIM = "claim";
    private static final String FENCE = "fence";

    private final SharedWriter writer;
    private final ClaimedJob claim;
    private final JobId job;
    /** Claims that came before this one: it owned the job after they had written. */
    private final Set<String> earlier = ConcurrentHashMap.newKeySet();

    private final SharedWriter.Kind kind = new ByClaim();

    /**
     * Writes documents for a claim.
     *
     * @param database where they are; any database, of any server
     * @param claim the claim of the job that writes
     */
    public FencedDocuments(CouchDatabase database, ClaimedJob claim) {
        this.writer = new SharedWriter(database);
        this.claim = claim;
        this.job = claim.id();
    }

    /**
     * Changes or creates a document, unless this claim has lost the job and another one has written it. Repeated when somebody
     * else writes at the same time, so the change may be called more than once. When another claim of the job wrote the document
     * last, the job is read first, as {@link ClaimedJob#assertOwned} does.
     *
     * @param id the document's {@code _id}
     * @param change from the document as it is (without {@code _rev}; with only an {@code _id} when there is none) to what it
     *     is to be
     * @return the document as stored
     * @throws HaltException when another claim of the job has written it, and this one does not own the job any more; nothing was
     *     written
     * @throws WriteRefusedException when the database refuses the document
     * @throws UnconfirmedException when no majority of a cluster's copies confirms it; it was taken back as far as can be
     * @throws ContentionException when others keep writing it; nothing was written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    public ObjectNode change(String id, UnaryOperator<ObjectNode> change) {
        return writer.change(id, present -> stamped(present, change), kind);
    }

    /**
     * Stamps a document and leaves it otherwise as it is: from then on no earlier claim of the job can change it. For a handler
     * that reads first, works, and writes in the end.
     *
     * @param id the document's {@code _id}
     * @return the document as stored
     * @throws HaltException when another claim of the job has written it, and this one does not own the job any more; nothing was
     *     written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
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

    /** Of a stamp that names no claim, as others may write them, what it says is the name. */
    private static String claimOf(JsonNode stamp) {
        return stamp.path(CLAIM).asText(stamp.toString());
    }

    /** Whose stamp a leaf has: the later the greater. Who is not known to have come before this claim counts as later. */
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

    /** The later claim's leaf counts, and not the longer branch. */
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
