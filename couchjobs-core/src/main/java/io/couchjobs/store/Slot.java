package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.Tombstone;
import io.couchjobs.job.Job;

/**
 * A slot that is taken: its document names the job that it was taken for, the revision on which that job is to be claimed,
 * and the token of the claim. Immutable and thread-safe.
 *
 * <p>From these three anybody can tell whether the slot is in use. The job is locked by the token: it is. The job has moved on
 * from the revision otherwise: it is not, and never will be, because the claim, if it is still on its way, meets a conflict.
 * The job still is that revision: the claim may come.
 *
 * @param name which slot
 * @param rev the revision of its document
 * @param job the document id of the job
 * @param claimOn the revision of the job on which the claim is written
 * @param token the token of the claim
 * @param phase what is known of its use
 * @param sinceNanos since when that is known, on this process's monotonic clock
 */
record Slot(SlotName name, String rev, String job, String claimOn, String token, Phase phase, long sinceNanos) {
    private static final String JOB = "job";
    private static final String CLAIM_ON = "claimOn";
    private static final String TOKEN = "token";
    private static final String WORKER = "worker";

    static Slot of(SlotName name, ObjectNode document, long nanos) {
        return new Slot(
                name,
                document.path("_rev").asText(),
                document.path(JOB).asText(),
                document.path(CLAIM_ON).asText(),
                document.path(TOKEN).asText(),
                Phase.CLAIMING,
                nanos);
    }

    static Slot wanted(SlotName name, Job job, String token, long nanos) {
        return new Slot(name, "", job.id().docId(), job.rev().orElse(""), token, Phase.CLAIMING, nanos);
    }

    Slot withRev(String newRev) {
        return new Slot(name, newRev, job, claimOn, token, phase, sinceNanos);
    }

    Slot in(Phase newPhase, long nanos) {
        return new Slot(name, rev, job, claimOn, token, newPhase, nanos);
    }

    /** Whether its job is owned, or may be at any moment. */
    boolean isUsed() {
        return phase == Phase.CLAIMING || phase == Phase.OWNED;
    }

    /** The document that takes the slot; {@code over} is the revision of a document that nobody uses, or empty. */
    ObjectNode document(String worker, String over) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("_id", name.docId());
        if (!over.isEmpty()) {
            document.put("_rev", over);
        }
        return document.put(JOB, job).put(CLAIM_ON, claimOn).put(TOKEN, token).put(WORKER, worker);
    }

    /** The document that gives the slot back: only on the revision that took it, so a slot is given back once. */
    ObjectNode tombstone() {
        return Tombstone.of(name.docId(), rev);
    }

    /** What is known of the use of a slot. */
    enum Phase {
        /** The claim may come. */
        CLAIMING,
        /** The job is locked by the token. */
        OWNED,
        /** The job has moved on; whoever took the slot is about to give it back. */
        ENDED,
        /** Nobody uses it, nor will anybody: it can be taken over. */
        ABANDONED
    }
}
