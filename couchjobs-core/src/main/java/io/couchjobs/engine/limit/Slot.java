package io.couchjobs.engine.limit;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.document.Tombstone;
import io.couchjobs.job.Job;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

/**
 * A slot that is taken: its document names the job that it was taken for, the revision on which that job is to be
 * claimed, and the token of the claim. Immutable and thread-safe.
 *
 * <p>These three facts tell whether the slot is in use. When the job is locked by the token, the slot is in use. When
 * the job has moved on from the revision without that lock, the slot is not in use and never will be: a claim that is
 * still on its way meets a conflict. When the job still has the revision, the claim may still come.
 *
 * @param job the document id of the job
 * @param claimOn the revision of the job on which the claim is written
 * @param phase the known state of its use
 * @param sinceNanos when that state became known, on this process's monotonic clock
 * @param lookNanos when that state must be checked again, on the same clock
 */
record Slot(
        SlotName name,
        String rev,
        String job,
        String claimOn,
        String token,
        Phase phase,
        long sinceNanos,
        long lookNanos) {
    /** The time that a claim may take. Then the job is given another revision, so that the claim comes too late. */
    private static final Duration CLAIMS_WITHIN = Duration.ofSeconds(10);
    /** The time before a check whether a claim was stored, or whether a slot whose job has moved on was given back. */
    private static final Duration UNASKED = Duration.ofSeconds(1);

    private static final String JOB = "job";
    private static final String CLAIM_ON = "claimOn";
    private static final String TOKEN = "token";
    private static final String WORKER = "worker";

    static Slot of(SlotName name, ObjectNode document, long nanos) {
        return claiming(
                name,
                document.path("_rev").asText(),
                document.path(JOB).asText(),
                document.path(CLAIM_ON).asText(),
                document.path(TOKEN).asText(),
                nanos);
    }

    static Slot wanted(SlotName name, Job job, String token, long nanos) {
        return claiming(name, "", job.id().docId(), job.rev().orElse(""), token, nanos);
    }

    private static Slot claiming(SlotName name, String rev, String job, String claimOn, String token, long nanos) {
        return new Slot(name, rev, job, claimOn, token, Phase.CLAIMING, nanos, nanos + UNASKED.toNanos());
    }

    Slot withRev(String newRev) {
        return new Slot(name, newRev, job, claimOn, token, phase, sinceNanos, lookNanos);
    }

    Slot in(Phase newPhase, long nanos) {
        return new Slot(name, rev, job, claimOn, token, newPhase, nanos, nanos + UNASKED.toNanos());
    }

    /** Returns the slot as it is after a check, when the claim may still come. */
    Slot unchanged(long nanos) {
        long late = sinceNanos + CLAIMS_WITHIN.toNanos();
        return new Slot(name, rev, job, claimOn, token, phase, sinceNanos, Math.max(late, nanos + UNASKED.toNanos()));
    }

    /** Returns whether the claim, if it is still on its way, has taken longer than any claim should. */
    boolean isLate(long nanos) {
        return nanos - sinceNanos >= CLAIMS_WITHIN.toNanos();
    }

    /** Returns whether both slots were taken by the same write, at copies that had different leaves before. */
    boolean isTwinOf(Slot other) {
        return token.equals(other.token) && !rev.equals(other.rev) && !rev.isEmpty() && !other.rev.isEmpty();
    }

    /** Returns whether the job is owned, or may be owned at any moment. */
    boolean isUsed() {
        return phase == Phase.CLAIMING || phase == Phase.OWNED;
    }

    /** Returns the document that takes the slot. It has no {@code _rev}, so a copy in which the slot is taken refuses it. */
    ObjectNode document(String worker) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("_id", name.docId())
                .put(JOB, job)
                .put(CLAIM_ON, claimOn)
                .put(TOKEN, token)
                .put(WORKER, worker);
    }

    /**
     * Returns the tombstone that gives the slot back. It applies only to the revision that took the slot, so a slot is
     * given back once.
     */
    ObjectNode tombstone() {
        return Tombstone.of(name.docId(), rev);
    }

    /**
     * Returns the revision that gives the slot back at every copy, even at a copy that does not have the slot as this
     * claim took it. The same slot always makes the same revision.
     */
    ObjectNode deletion() {
        int dash = rev.indexOf('-');
        long generation = Rev.generation(rev) + 1;
        String hash = UUID.nameUUIDFromBytes(rev.getBytes(StandardCharsets.US_ASCII))
                .toString()
                .replace("-", "");
        ObjectNode deletion = Tombstone.of(name.docId(), generation + "-" + hash);
        deletion.putObject("_revisions")
                .put("start", generation)
                .putArray("ids")
                .add(hash)
                .add(rev.substring(dash + 1));
        return deletion;
    }

    /** The known state of the use of a slot. */
    enum Phase {
        /** The claim may still come. */
        CLAIMING,
        /** The job is locked by the token. */
        OWNED,
        /** The job has moved on; the process that took the slot is about to give it back. */
        ENDED
    }
}
