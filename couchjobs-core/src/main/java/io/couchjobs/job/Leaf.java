package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the leaves of a job's document, and how much it counts. Immutable and thread-safe.
 *
 * <p>Total: whatever a document says, it can be ranked; one that cannot be a job comes after all that can.
 */
final class Leaf {
    /** The field of tombstones that were written to resolve a conflict: these do not count any more. */
    static final String RESOLVED = "resolved";

    private static final String REVISIONS = "_revisions";

    /** What a leaf says of its job. Among leaves of the same fence, the first counts most. */
    enum Kind {
        /** The job was removed. */
        GONE,
        /** The job has ended. */
        ENDED,
        /** The job has an owner. */
        OWNED,
        /** The job was cancelled before anybody ever claimed it. */
        CALLED_OFF,
        /** The job is to be run. */
        PENDING,
        /** A claim that made no owner. */
        WITHDRAWN,
        /** The document cannot be a job. */
        MALFORMED
    }

    /** CouchDB's own order: the longer branch, then the greater hash. */
    private static final Comparator<Leaf> AS_COUCHDB =
            Comparator.comparingLong(Leaf::generation).thenComparing(Leaf::rev).reversed();

    /** What counts most comes first. */
    static final Comparator<Leaf> BEST_FIRST = Comparator.comparing((Leaf leaf) -> leaf.kind == Kind.MALFORMED)
            .thenComparing(Comparator.comparingLong(Leaf::fence).reversed())
            .thenComparing(Leaf::kind)
            .thenComparing(Comparator.comparing(Leaf::isRunning).reversed())
            .thenComparing(Comparator.comparingInt(Leaf::expirations).reversed())
            .thenComparing(AS_COUCHDB)
            .thenComparing(leaf -> leaf.document.toString());

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

    /** The document as CouchDB shows it, with {@code _revisions} or without. */
    static Leaf of(ObjectNode shown) {
        ObjectNode document = shown.deepCopy();
        JsonNode revisions = MissingNode.getInstance();
        if (document.has(REVISIONS)) {
            revisions = document.remove(REVISIONS);
        }
        try {
            return new Leaf(document, isDeleted(document) ? null : Job.parse(document), revisions);
        } catch (MalformedJobException malformed) {
            return new Leaf(document, null, revisions);
        }
    }

    Kind kind() {
        return kind;
    }

    /** Whether the tombstone says that its branch lost already. */
    boolean isResolved() {
        return isDeleted(document) && document.hasNonNull(RESOLVED);
    }

    boolean isLive() {
        return !isDeleted(document);
    }

    /** The job; only of leaves that are neither gone nor malformed. */
    Job job() {
        if (job == null) {
            throw new IllegalStateException("no job: " + kind + " " + rev());
        }
        return job;
    }

    ObjectNode document() {
        return document;
    }

    String rev() {
        return document.path(Field.REV).asText();
    }

    /**
     * Which claim the leaf goes back to. A claim that never made an owner does not count; one that may have run before it was
     * taken back does. Where nobody has claimed yet, the next claim's number tells.
     */
    long fence() {
        boolean neverHappened = kind == Kind.WITHDRAWN && !Transitions.mayHaveRun(job());
        return neverHappened ? Math.max(0, storedFence() - 1) : storedFence();
    }

    /** The same, but a claim that was withdrawn counts as one: what others asked of its run, they asked during it. */
    long storedFence() {
        JsonNode stored = document.path(Field.FENCE);
        return stored.canConvertToLong() && stored.asLong() >= 0 ? stored.asLong() : Math.max(0, generation() - 1);
    }

    /** Whether this claim counted more than another leaf until it was withdrawn. */
    boolean hasBeaten(Leaf other) {
        return kind == Kind.WITHDRAWN && storedFence() > other.fence();
    }

    boolean hasFence() {
        return document.hasNonNull(Field.FENCE);
    }

    boolean hasTokenOf(Leaf other) {
        Optional<String> token = token();
        return token.isPresent() && token.equals(other.token());
    }

    /** Whether the leaf shows that the job was run: by a run's end, or by what was counted since the job was added. */
    boolean hasRun() {
        return switch (kind) {
            case ENDED -> hasFence() && (job().status() != JobStatus.CANCELLED || job().attempt() > 0);
            case PENDING -> hasFence() && !isFresh();
            case GONE, OWNED, CALLED_OFF, WITHDRAWN, MALFORMED -> false;
        };
    }

    /** Whether the leaf shows no run of the job; a claim may be its first. */
    boolean isFresh() {
        return switch (kind) {
            case PENDING, CALLED_OFF -> job().attempt() == 0 && expirations() == 0;
            case OWNED, WITHDRAWN -> job().attempt() <= 1 && expirations() == 0;
            case GONE, ENDED, MALFORMED -> false;
        };
    }

    /**
     * Whether this leaf surely does not go back to the last claim of another. A claim's revision has at least the generation
     * that follows its fence: where both histories say what they were then, and say something else, they had parted before.
     */
    boolean partedBeforeClaimOf(Leaf other) {
        long then = other.storedFence() + 1;
        String mine = ancestor(then);
        String theirs = other.ancestor(then);
        return !mine.isEmpty() && !theirs.isEmpty() && !mine.equals(theirs);
    }

    /** The revision of a generation that the leaf goes back to; empty where nobody knows. */
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
        return Job.generation(rev());
    }

    private Optional<String> token() {
        return Optional.ofNullable(job).flatMap(Job::lock).map(Lock::token);
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
            return Kind.GONE;
        }
        if (job == null) {
            return Kind.MALFORMED;
        }
        if (job.isWithdrawn()) {
            return Kind.WITHDRAWN;
        }
        return switch (job.state()) {
            case RUNNING -> Kind.OWNED;
            case PENDING, NOT_FOUND -> Kind.PENDING;
            case FINISHED ->
                job.status() == JobStatus.CANCELLED && !document.hasNonNull(Field.FENCE) ? Kind.CALLED_OFF : Kind.ENDED;
        };
    }

    @Override
    public String toString() {
        return kind + " " + storedFence() + " " + rev();
    }
}
