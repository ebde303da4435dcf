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
 * One of the leaves of a job's document, and its rank. Immutable and thread-safe.
 *
 * <p>Every document can be ranked; one that cannot be a job comes after all that can.
 */
final class Leaf {
    /** The field of tombstones that were written to resolve a conflict: these do not count any more. */
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
        /** The job was removed. When a removal and an add happen at the same moment, the add counts: no job is lost. */
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
     * The leaf that counts most comes first. Among leaves of the same fence and rank, more expirations count less: the writer of an
     * expiry had not seen what the owner wrote. Withdrawn claims rank with jobs that wait, because they will wait. But beside a
     * removal, a withdrawn claim counts less than the removal: the removal keeps each claim from making an owner, so one of the two
     * has to go.
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

    /** The leaf of an owner whose claim was withdrawn on another leaf; any other leaf as it is. */
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

    /** The document as CouchDB shows it, with {@code _revisions} or without. */
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

    /** Whether the tombstone says that its branch lost already. */
    boolean isResolved() {
        return isDeleted(document) && document.hasNonNull(RESOLVED);
    }

    boolean isLive() {
        return !isDeleted(document);
    }

    /** Whether the leaf is a claim that was withdrawn. */
    boolean isWithdrawn() {
        return kind == Kind.WITHDRAWN || kind == Kind.RESUBMITTED;
    }

    /** Whether the claim was withdrawn because its lease was over, so that its owner may have run the job. */
    boolean mayHaveRun() {
        return job != null && ClusterTransitions.mayHaveRun(job);
    }

    /**
     * Whether the owner of this claim was asked for another run, and that run would count more than the tombstone of
     * the job.
     */
    boolean asksForMoreThan(Leaf tombstone) {
        long next = storedFence() + 1;
        return kind == Kind.OWNED
                && job().filter(Job::isResubmitted).isPresent()
                && (next > tombstone.fence() || (next == tombstone.fence() && tombstone.kind == Kind.REMOVED));
    }

    /** Whether the job was deleted, by a caller or by retention. */
    boolean isGone() {
        return kind == Kind.REMOVED || kind == Kind.RETIRED;
    }

    /** The job; empty where it is gone or malformed. */
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
     * The fence that counts. A withdrawn claim counts as the revision it was made on, whatever the reason of its
     * withdrawal: otherwise a claim on a leaf that lost could outrank a confirmed end. If its owner was asked for
     * another run, it counts as that run: otherwise a deletion by retention, which knows nothing of the request, could
     * outrank it.
     */
    long fence() {
        return switch (kind) {
            case WITHDRAWN -> Math.max(0, storedFence() - 1);
            case RESUBMITTED -> Math.max(storedFence(), storedFence() + 1);
            case RETIRED, ENDED, OWNED, CANCELLED, PENDING, REMOVED, MALFORMED -> storedFence();
        };
    }

    /**
     * The fence of the last claim that the leaf goes back to, also of a withdrawn one. Before the first claim, it is
     * derived from the number of the next one.
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

    /** Whether the leaf shows that the job was run: by a run's end, or by the counters since the job was added. */
    boolean hasRun() {
        return switch (kind) {
            case ENDED -> hasFence();
            case CANCELLED -> hasFence() && attempt() > 0;
            case PENDING -> hasFence() && !isFresh();
            case RETIRED, REMOVED, OWNED, RESUBMITTED, WITHDRAWN, MALFORMED -> false;
        };
    }

    /**
     * Whether the leaf has no owner and shows no run of the job, not even one before it was added again. One whose
     * owner was asked for another run is not fresh: the request is newer than any run.
     */
    boolean isFresh() {
        return switch (kind) {
            case PENDING, CANCELLED -> attempt() == 0 && expirations() == 0 && !wasClaimed();
            case WITHDRAWN -> attempt() <= 1 && expirations() == 0;
            case RESUBMITTED, RETIRED, REMOVED, ENDED, OWNED, MALFORMED -> false;
        };
    }

    /**
     * Whether this leaf surely does not go back to the last claim of another. A claim's revision has at least the
     * generation that follows its fence. When both histories name their revisions of that generation, and the names
     * differ, the leaves had parted before.
     */
    boolean partedBeforeClaimOf(Leaf other) {
        long then = other.storedFence() + 1;
        String mine = ancestor(then);
        String theirs = other.ancestor(then);
        return !mine.isEmpty() && !theirs.isEmpty() && !mine.equals(theirs);
    }

    /**
     * Whether this leaf is a claim that was made on exactly that revision, or goes back to it and was taken back by its claimer. Of any other
     * leaf that was written on, nobody can tell on which revision it was claimed.
     */
    boolean isClaimOf(String base) {
        boolean isTakenBack = isWithdrawn() && !mayHaveRun();
        boolean isNext = generation() == Rev.generation(base) + 1;
        return token().isPresent() && goesBackTo(base) && (isNext || isTakenBack);
    }

    /** Whether the leaf is that revision, or was written on top of it. */
    boolean goesBackTo(String rev) {
        return ancestor(Rev.generation(rev)).equals(rev);
    }

    /** The revision of a generation that the leaf goes back to; empty when it is unknown. */
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
