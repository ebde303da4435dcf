package io.couchjobs.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchException;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.problem.CouchJobsException;
import java.time.Duration;
import java.time.Instant;
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
    private static final int MOST_ATTEMPTS = 20;

    private final CouchDatabase database;
    private final JobId job;
    private final Stamp mine;

    /**
     * Writes documents for a claim.
     *
     * @param database where they are; any database, of any server
     * @param claim the claim of the job that writes
     */
    public FencedDocuments(CouchDatabase database, ClaimedJob claim) {
        this.database = database;
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
     * @throws ContentionException when others keep writing it; nothing was written
     * @throws CouchException when the database cannot be reached; the document may have been written
     */
    public ObjectNode change(String id, UnaryOperator<ObjectNode> change) {
        Backoff backoff = new Backoff(Duration.ofMillis(5), Duration.ofMillis(500));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            ObjectNode present = database.get(id).orElseGet(() -> empty(id));
            requireNotLater(present);
            ObjectNode next = stamped(present, change);
            if (isStored(next)) {
                return next;
            }
            pause(backoff);
        }
        throw new ContentionException(job, backoff.attempts());
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
        Stamp theirs = Stamp.in(document.path(STAMPS).path(job.docId()));
        if (theirs.isLaterThan(mine)) {
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

    /** Writes once. Only what a quorum confirmed counts; a lost answer is settled by reading. */
    private boolean isStored(ObjectNode next) {
        try {
            WriteResult written = database.put(next);
            if (written instanceof WriteResult.Refused refused) {
                throw new WriteRefusedException(refused);
            }
            if (written instanceof WriteResult.Stored stored) {
                next.put("_rev", stored.rev());
            }
            return written instanceof WriteResult.Stored;
        } catch (CouchException trouble) {
            if (!trouble.outcomeUnknown()) {
                throw trouble;
            }
            return isInPlace(next);
        }
    }

    private boolean isInPlace(ObjectNode next) {
        ObjectNode present = database.get(next.path("_id").asText()).orElseGet(next::objectNode);
        JsonNode rev = present.path("_rev");
        boolean same = Job.sayTheSame(present, next);
        if (same) {
            next.set("_rev", rev);
        }
        return same;
    }

    private static ObjectNode empty(String id) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", id);
        return document;
    }

    private void pause(Backoff backoff) {
        try {
            backoff.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException("interrupted while writing a document for job " + job, e);
        }
    }

    /** Which claim wrote. A job that was removed and added anew counts its claims from the start, so its creation goes first. */
    private record Stamp(long created, long fence) {
        static Stamp of(Job job) {
            return new Stamp(job.times().getOrDefault("created", Instant.EPOCH).toEpochMilli(), job.fence());
        }

        static Stamp in(JsonNode json) {
            return new Stamp(json.path(CREATED).asLong(0), json.path(FENCE).asLong(0));
        }

        boolean isLaterThan(Stamp other) {
            return created > other.created || (created == other.created && fence > other.fence);
        }
    }
}
