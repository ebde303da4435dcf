package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.couch.Json;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The content of one revision of a job's document. It is kept as bytes, because a tree of objects is several times as large
 * and many snapshots are kept for a long time. Immutable and thread-safe.
 */
public final class Snapshot {
    private final JobId id;
    private final String rev;
    private final JobPhase phase;
    private final long fence;
    private final int chapter;
    private final boolean confirmed;
    private final byte @Nullable [] document;

    private Snapshot(
            JobId id,
            String rev,
            JobPhase phase,
            long fence,
            int chapter,
            boolean confirmed,
            byte @Nullable [] document) {
        this.id = id;
        this.rev = rev;
        this.phase = phase;
        this.fence = fence;
        this.chapter = chapter;
        this.confirmed = confirmed;
        this.document = document;
    }

    public static Snapshot of(Job job) {
        byte[] document = job.document().toString().getBytes(StandardCharsets.UTF_8);
        return new Snapshot(
                job.id(), job.rev().orElse(""), job.phase(), Fences.story(job), chapter(job), false, document);
    }

    /** Returns the snapshot of a removed job, with the revision of its tombstone, or an empty revision if there is no tombstone. */
    public static Snapshot gone(JobId id, String rev) {
        return new Snapshot(id, rev, JobPhase.NOT_FOUND, 0, 0, false, null);
    }

    /** Returns the snapshot of a document; empty when the document is not a job. */
    public static Optional<Snapshot> of(ObjectNode document) {
        return JobDocument.job(document).map(Snapshot::of);
    }

    public JobId id() {
        return id;
    }

    public String rev() {
        return rev;
    }

    /** Returns this snapshot, marked as the state that a majority of the copies has. */
    Snapshot confirmed() {
        return new Snapshot(id, rev, phase, fence, chapter, true, document);
    }

    public boolean isConfirmed() {
        return confirmed;
    }

    /**
     * Returns whether this snapshot is later in the life of the job than another one. Each claim and each request of a
     * creator has a greater fence; within one fence, the result comes after the run. The generation of a revision is not
     * sufficient on a cluster, because a losing leaf may have been written more often. It only orders snapshots that are
     * otherwise equal, and removals, for which nothing else is known.
     */
    public boolean isLaterThan(Snapshot other) {
        if (document == null || other.document == null || (fence == other.fence && chapter == other.chapter)) {
            return Rev.generation(rev) > Rev.generation(other.rev);
        }
        return fence == other.fence ? chapter > other.chapter : fence > other.fence;
    }

    private static int chapter(Job job) {
        return switch (job.status()) {
            case SCHEDULED, RUNNING -> 0;
            case WAITING, STUCK -> 1;
            case CANCELLED -> 2;
            case SUCCESS, FAILED -> 3;
        };
    }

    public JobPhase phase() {
        return phase;
    }

    /** Returns whether no trace of the job was found, not even a tombstone. */
    boolean isUnknown() {
        return phase == JobPhase.NOT_FOUND && rev.isEmpty();
    }

    public boolean isEnd() {
        return phase == JobPhase.FINISHED || phase == JobPhase.NOT_FOUND;
    }

    public int size() {
        return document == null ? 0 : document.length;
    }

    public Optional<Job> job() {
        if (document == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Job.given(Json.MAPPER.readTree(document)));
        } catch (IOException e) {
            throw new AssertionError("a document that was read once can be read again", e);
        }
    }

    /** Returns whether a subscriber must be notified: another state, another run, or new data or progress of the same run. */
    public boolean isNewsAfter(Snapshot before) {
        if (phase != before.phase) {
            return true;
        }
        if (phase != JobPhase.RUNNING) {
            return false;
        }
        Job now = job().orElseThrow();
        Job then = before.job().orElseThrow();
        return now.fence() != then.fence()
                || !now.hasSameDataAs(then)
                || !now.progress().equals(then.progress());
    }
}
