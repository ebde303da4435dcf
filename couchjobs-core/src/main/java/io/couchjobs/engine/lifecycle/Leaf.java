package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Lock;
import io.couchjobs.job.MalformedDocumentException;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One leaf of a job's document, and its rank. Immutable and thread-safe.
 *
 * <p>Every document can be ranked. A document that cannot be a job ranks last.
 */
final class Leaf {
    /** The field that marks the tombstone of a leaf that lost a conflict. Such a tombstone no longer counts. */
    static final String RESOLVED = "resolved";

    private static final String REVISIONS = "_revisions";

    /** The state of the job on a leaf. Among leaves of the same fence, the first kind counts most. */
    enum Kind {
        /** The job had ended, and retention deleted it. */
        RETIRED,
        /** The job has succeeded or failed. */
        ENDED,
        /** The job has an owner. */
        OWNED,
        /** The job was cancelled. */
        CANCELLED,
        /** The job is to be run. */
        PENDING,
        /** A withdrawn claim whose owner had been asked for another run. The job waits for that run. */
        RESUBMITTED,
        /** The job was removed. An add at the same moment counts more than a removal, so that no job is lost. */
        REMOVED,
        /** A claim that made no owner, or whose owner died. */
        WITHDRAWN,
        /** The document cannot be a job. */
        MALFORMED
    }

    private static final Comparator<Leaf> AS_COUCHDB =
            Comparator.comparing(Leaf::rev, Rev.ORDER).reversed();

    static final Comparator<Leaf> BEST_FIRST = bestFirst(false);

    /**
     * Sorts the leaf that counts most first. Among leaves of the same fence and rank, more expirations count less: the
     * writer of an expiry had not seen what the owner wrote. A withdrawn claim ranks with pending jobs, because its job
     * will wait. Beside a removal, however, a withdrawn claim counts less than the removal. The removal keeps each claim
     * from making an owner, so one of the two must go.
     */
    static Comparator<Leaf> bestFirst(boolean besideRemoval) {
        return Comparator.comparing((Leaf leaf) -> leaf.kind == Kind.MALFORMED)
                .thenComparing(Comparator.comparingLong(Leaf::fence).reversed())
                .thenComparing(leaf -> leaf.rank(besideRemoval))
                .thenComparing(Leaf::expirations)
                .thenComparing(Leaf::kind)
                .thenComparing(Comparator.comparing(Leaf::isRunning).reversed())
                .thenComparing(AS_COUCHDB)
                .thenComparing(leaf -> leaf.document.toString());
    }

    private final ObjectNode document;
    private final @Nullable Job job;
    private final Kind kind;
    private final JsonNode revisions;

    private Leaf(ObjectNode document, @Nullable Job job, JsonNode revisions) {
        this.document = document;
        this.job = job;
        this.kind = kindOf(document, job);
        this.revisions = revisions;
    }

    /** {@return this leaf as a withdrawn claim if it is an owned one; otherwise this leaf unchanged} */
    Leaf withdrawnAs(Leaf other) {
        if (kind != Kind.OWNED) {
            return this;
        }
        Lock.Withdrawal withdrawal =
                other.job().flatMap(Job::lock).flatMap(Lock::withdrawn).orElseThrow();
        Job withdrawn = ClusterTransitions.withdraw(job().orElseThrow(), withdrawal.reason(), withdrawal.at())
                .write()
                .orElseThrow();
        return new Leaf(document, withdrawn, revisions);
    }

    /** Reads a document as CouchDB shows it, with or without {@code _revisions}. */
    static Leaf of(ObjectNode shown) {
        ObjectNode document = shown.deepCopy();
        JsonNode revisions = MissingNode.getInstance();
        if (document.has(REVISIONS)) {
            revisions = document.remove(REVISIONS);
        }
        try {
            return new Leaf(document, isDeleted(document) ? null : Job.parse(document), revisions);
        } catch (MalformedDocumentException malformed) {
            return new Leaf(document, null, revisions);
        }
    }

    Kind kind() {
        return kind;
    }

    private Kind rank(boolean besideRemoval) {
        boolean willWait = kind == Kind.RESUBMITTED || (kind == Kind.WITHDRAWN && !besideRemoval);
        return willWait ? Kind.PENDING : kind;
    }

    /** {@return whether this is the tombstone of a leaf that lost a conflict} */
    boolean isResolved() {
        return isDeleted(document) && document.hasNonNull(RESOLVED);
    }

    boolean isLive() {
        return !isDeleted(document);
    }

    /** {@return whether this leaf is a withdrawn claim} */
    boolean isWithdrawn() {
        return kind == Kind.WITHDRAWN || kind == Kind.RESUBMITTED;
    }

    /** {@return whether the claim was withdrawn because its lease ran out, so that its owner may have run the job} */
    boolean mayHaveRun() {
        return job != null && ClusterTransitions.mayHaveRun(job);
    }

    /**
     * {@return whether the owner of this claim was asked for another run, and that run would count more than the given
     * tombstone}
     */
    boolean asksForMoreThan(Leaf tombstone) {
        long next = storedFence() + 1;
        return kind == Kind.OWNED
                && job().filter(Job::isResubmitted).isPresent()
                && (next > tombstone.fence() || (next == tombstone.fence() && tombstone.kind == Kind.REMOVED));
    }

    /** {@return whether a caller or retention deleted the job} */
    boolean isGone() {
        return kind == Kind.REMOVED || kind == Kind.RETIRED;
    }

    /** {@return the job; empty when it is deleted or malformed} */
    Optional<Job> job() {
        return Optional.ofNullable(job);
    }

    ObjectNode document() {
        return document;
    }

    String rev() {
        return document.path(Field.REV).asText();
    }

    /**
     * {@return the fence that counts} A withdrawn claim has the fence of the revision that was claimed, whatever the reason
     * of the withdrawal. Otherwise a claim on a losing leaf could outrank a confirmed end. If the owner of a withdrawn
     * claim was asked for another run, the leaf has the fence of that run. Otherwise a deletion by retention, which does
     * not know of the request, could outrank it.
     */
    long fence() {
        return switch (kind) {
            case WITHDRAWN -> Math.max(0, storedFence() - 1);
            case RESUBMITTED -> Math.max(storedFence(), storedFence() + 1);
            case RETIRED, ENDED, OWNED, CANCELLED, PENDING, REMOVED, MALFORMED -> storedFence();
        };
    }

    /**
     * {@return the fence of the last claim in this leaf's history, even of a withdrawn claim} Before the first claim, the
     * fence derives from the generation of the revision.
     */
    long storedFence() {
        JsonNode stored = document.path(Field.FENCE);
        return stored.canConvertToLong() && stored.asLong() >= 0 ? stored.asLong() : Math.max(0, generation() - 1);
    }

    boolean hasFence() {
        return document.hasNonNull(Field.FENCE);
    }

    boolean hasTokenOf(Leaf other) {
        Optional<String> token = token();
        return token.isPresent() && token.equals(other.token());
    }

    /** {@return whether the leaf shows that the job ran: by the end of a run, or by the counters since the job was added} */
    boolean hasRun() {
        return switch (kind) {
            case ENDED -> hasFence();
            case CANCELLED -> hasFence() && attempt() > 0;
            case PENDING -> hasFence() && !isFresh();
            case RETIRED, REMOVED, OWNED, RESUBMITTED, WITHDRAWN, MALFORMED -> false;
        };
    }

    /**
     * {@return whether the leaf has no owner and shows no run of the job, not even one before it was added again} A leaf
     * whose owner was asked for another run is not fresh: the request is newer than any run.
     */
    boolean isFresh() {
        return switch (kind) {
            case PENDING, CANCELLED -> attempt() == 0 && expirations() == 0 && !wasClaimed();
            case WITHDRAWN -> attempt() <= 1 && expirations() == 0;
            case RESUBMITTED, RETIRED, REMOVED, ENDED, OWNED, MALFORMED -> false;
        };
    }

    /**
     * {@return whether this leaf surely does not descend from the last claim of the other leaf} The generation of a claim's
     * revision is greater than the claim's fence. When both histories name their revisions of generation fence + 1, and
     * these differ, the leaves parted before the claim.
     */
    boolean partedBeforeClaimOf(Leaf other) {
        long then = other.storedFence() + 1;
        String mine = ancestor(then);
        String theirs = other.ancestor(then);
        return !mine.isEmpty() && !theirs.isEmpty() && !mine.equals(theirs);
    }

    /**
     * {@return whether this leaf is a claim of exactly the given revision, or descends from that revision and was withdrawn
     * by its claimer} For any other leaf with later writes, the claimed revision is unknown.
     */
    boolean isClaimOf(String base) {
        boolean isTakenBack = isWithdrawn() && !mayHaveRun();
        boolean isNext = generation() == Rev.generation(base) + 1;
        return token().isPresent() && goesBackTo(base) && (isNext || isTakenBack);
    }

    /** {@return whether the leaf is the given revision or descends from it} */
    boolean goesBackTo(String rev) {
        return ancestor(Rev.generation(rev)).equals(rev);
    }

    /** {@return the ancestor of the given generation; empty when it is unknown} */
    private String ancestor(long generation) {
        long back = generation() - generation;
        if (back == 0) {
            return rev();
        }
        String hash = back > 0 && back < revisions.path("ids").size()
                ? revisions.path("ids").path((int) back).asText()
                : "";
        return hash.isEmpty() ? "" : generation + "-" + hash;
    }

    long generation() {
        return Rev.generation(rev());
    }

    Optional<String> token() {
        return Optional.ofNullable(job).flatMap(Job::lock).map(Lock::token);
    }

    private boolean wasClaimed() {
        return job != null && job.times().containsKey(Transitions.CLAIMED);
    }

    private int attempt() {
        return job == null ? 0 : job.attempt();
    }

    private int expirations() {
        return job == null ? 0 : job.expirations();
    }

    private boolean isRunning() {
        return job != null && job.status() == JobStatus.RUNNING;
    }

    private static boolean isDeleted(ObjectNode document) {
        return document.path("_deleted").asBoolean();
    }

    private static Kind kindOf(ObjectNode document, @Nullable Job job) {
        if (isDeleted(document)) {
            return document.path(Field.REMOVED_BY).asText().equals(Field.RETENTION) ? Kind.RETIRED : Kind.REMOVED;
        }
        if (job == null) {
            return Kind.MALFORMED;
        }
        if (job.isWithdrawn()) {
            return job.isResubmitted() ? Kind.RESUBMITTED : Kind.WITHDRAWN;
        }
        return switch (job.phase()) {
            case RUNNING -> Kind.OWNED;
            case PENDING, NOT_FOUND -> Kind.PENDING;
            case FINISHED -> job.status() == JobStatus.CANCELLED ? Kind.CANCELLED : Kind.ENDED;
        };
    }

    @Override
    public String toString() {
        return kind + " " + storedFence() + " " + rev();
    }
}
