package io.couchjobs.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.problem.CouchJobsException;
import java.time.Instant;
import java.util.Comparator;
import java.util.function.UnaryOperator;

/**
 * Documents that a job writes outside of the queue, safe from owners that do not know yet that they lost the job.
 * Thread-safe. Takes the place of the RFC's transactional update: CouchDB cannot change two documents together.
 *
 * <p>Each write stamps the document, in its field {@value #STAMPS}, with the job and the claim that wrote it. A document that
 * a later claim of the same job has stamped refuses earlier claims: they halt. What an earlier owner wrote <em>before</em>
 * the later one's first write stays, so a later owner finds it, and decides whether the work is done.
 *
 * <p>Whoever else writes such a document must keep the field.
 */
public final class FencedDocuments {
    /** The field with the stamps, by job: {@code {"job:TYPE:ID": {"created": epoch ms, "fence": number}}}. */
    public static final String STAMPS = "fences";

    private static final String CREATED = "created";
    private static final String FENCE = "fence";

    private final SharedWriter writer;
    private final JobId job;
    private final Stamp mine;
    private final SharedWriter.Kind kind = new ByFence();

    /**
     * Writes documents for a claim.
     *
     * @param database where they are; any database, of any server
     * @param claim the claim of the job that writes
     */
    public FencedDocuments(CouchDatabase database, ClaimedJob claim) {
        this.writer = new SharedWriter(database);
        this.job = claim.id();
        this.mine = Stamp.of(claim.job());
    }

    /**
     * Changes or creates a document, unless a later claim of the job has written it. Repeated when somebody else writes at
     * the same time, so the change may be called more than once.
     *
     * @param id the document's {@code _id}
     * @param change from the document as it is (without {@code _rev}; with only an {@code _id} when there is none) to what it
     *     is to be
     * @return the document as stored
     * @throws HaltException when a later claim of the job has written it; nothing was written
     * @throws WriteRefusedException when the database refuses the document
     * @throws UnconfirmedException when no majority of a cluster's copies confirms it; it was taken back as far as can be
     * @throws ContentionException when others keep writing it; nothing was written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    public ObjectNode change(String id, UnaryOperator<ObjectNode> change) {
        return writer.change(
                id,
                present -> {
                    requireNotLater(present);
                    return stamped(present, change);
                },
                kind);
    }

    /**
     * Stamps a document and leaves it otherwise as it is: from then on no earlier claim of the job can change it. For a handler
     * that reads first, works, and writes in the end.
     *
     * @param id the document's {@code _id}
     * @return the document as stored
     * @throws HaltException when a later claim of the job has written it; nothing was written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    public ObjectNode take(String id) {
        return change(id, UnaryOperator.identity());
    }

    private void requireNotLater(ObjectNode document) {
        if (Stamp.LATER.compare(stampIn(document), mine) > 0) {
            throw new HaltException(
                    job,
                    "was claimed again, and the later owner has written "
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
        all.putObject(job.docId()).put(CREATED, mine.created).put(FENCE, mine.fence);
        next.set(STAMPS, all);
        return next;
    }

    private Stamp stampIn(ObjectNode document) {
        return Stamp.in(document.path(STAMPS).path(job.docId()));
    }

    /** The greater fence is the later one, and not the longer branch. */
    private final class ByFence implements SharedWriter.Kind {
        @Override
        public Comparator<SharedLeaf> later() {
            return Comparator.<SharedLeaf, Stamp>comparing(leaf -> stampIn(leaf.plain()), Stamp.LATER)
                    .thenComparing(SharedLeaf.LATER);
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

    /** Which claim wrote. A job that was removed and added anew counts its claims from the start, so its creation goes first. */
    private record Stamp(long created, long fence) {
        static final Comparator<Stamp> LATER =
                Comparator.comparingLong(Stamp::created).thenComparingLong(Stamp::fence);

        static Stamp of(Job job) {
            return new Stamp(job.times().getOrDefault("created", Instant.EPOCH).toEpochMilli(), job.fence());
        }

        static Stamp in(JsonNode json) {
            return new Stamp(json.path(CREATED).asLong(0), json.path(FENCE).asLong(0));
        }
    }
}
