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
 * The change of a document. Immutable and thread-safe.
 *
 * @param rev the revision that the change made, such as {@code 3-...}
 * @param document the document as it is now, or its tombstone; null when it cannot be read
 * @param conflicted whether the document has other leaves that are not deleted
 * @param leaves the revisions of the document's leaves, including tombstones, as far as the feed reports them; the
 *     winner first
 * @param job the job, if the document is a job and not deleted; its attached data is not read
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

    /** Creates the event of a document with one leaf. */
    public FeedEvent(String docId, String rev, boolean deleted, @Nullable ObjectNode document, boolean conflicted) {
        this(docId, rev, deleted, document, conflicted, List.of(rev), jobOf(docId, deleted, document));
    }

    /** Returns the event of a row of the feed. Takes the row's document over and removes its {@code _conflicts}. */
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
     * {@return the job's state in this event; empty for the tombstone of a losing leaf, and for a document that is not
     * a job or was not read}
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

    /** {@return whether the document is the tombstone of a losing leaf, which says nothing about the job} */
    public boolean isResolved() {
        return deleted && document != null && Resolution.isOfLoser(document);
    }

    /** Parses the job once for all listeners. The job shares the document, which nobody changes. */
    private static Optional<Job> jobOf(String docId, boolean deleted, @Nullable ObjectNode document) {
        return deleted || document == null || !docId.startsWith(DocIds.JOB)
                ? Optional.empty()
                : JobDocument.job(document);
    }
}
