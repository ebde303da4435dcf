package io.couchjobs.engine.feed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Resolution;
import io.couchjobs.engine.store.JobDocument;
import io.couchjobs.engine.store.JobTombstone;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A document changed. Immutable and thread-safe.
 *
 * @param rev the revision that the change made, such as {@code 3-...}
 * @param document the document as it is now, or its tombstone; null when it cannot be read
 * @param conflicted whether it has other leaves that are not deleted
 * @param leaves the revisions of its leaves, tombstones too, as far as the feed tells; the winner first
 * @param job the job, if the document is one and still there; its attached data is not read
 */
public record FeedEvent(
        String docId,
        String rev,
        boolean deleted,
        @Nullable ObjectNode document,
        boolean conflicted,
        List<String> leaves,
        Optional<Job> job) {
    private static final String CONFLICTS = "_conflicts";

    /** A change of a document with one leaf. */
    public FeedEvent(String docId, String rev, boolean deleted, @Nullable ObjectNode document, boolean conflicted) {
        this(docId, rev, deleted, document, conflicted, List.of(rev), jobOf(docId, deleted, document));
    }

    /** The event of a row of the feed; the document, which is given away, loses its {@code _conflicts}. */
    static FeedEvent of(Change change) {
        String rev = change.revs().isEmpty() ? "" : change.revs().get(0);
        ObjectNode document = change.doc();
        boolean conflicted = document != null
                && document.has(CONFLICTS)
                && !document.remove(CONFLICTS).isEmpty();
        return new FeedEvent(
                change.id(),
                rev,
                change.deleted(),
                document,
                conflicted,
                change.revs(),
                jobOf(change.id(), change.deleted(), document));
    }

    /** {@return the number of the revision: how many writes the document has seen} */
    public long generation() {
        return Rev.generation(rev);
    }

    /**
     * {@return the job's state in this event; empty for the tombstone of a leaf that lost, and for a document that is
     * no job or was not read}
     */
    public Optional<Snapshot> seen(JobId id) {
        return isResolved() ? Optional.empty() : snapshot(id);
    }

    private Optional<Snapshot> snapshot(JobId id) {
        return deleted
                ? Optional.of(Snapshot.gone(id, rev))
                : Optional.ofNullable(document).flatMap(Snapshot::of);
    }

    /** {@return whether the document was a finished job that retention deleted} */
    public boolean isRetired() {
        return deleted
                && document != null
                && JobTombstone.retiredStatus(document).isPresent();
    }

    /** Whether it is the tombstone of a leaf that lost, which says nothing of the job. */
    public boolean isResolved() {
        return deleted && document != null && Resolution.isOfLoser(document);
    }

    /** The job is read once, however many listeners ask. The document is shared with it, and nobody changes it. */
    private static Optional<Job> jobOf(String docId, boolean deleted, @Nullable ObjectNode document) {
        return deleted || document == null || !docId.startsWith(DocIds.JOB)
                ? Optional.empty()
                : JobDocument.job(document);
    }
}
