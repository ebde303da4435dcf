package io.couchjobs.engine.feed;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;

/**
 * The notice that a document changed, without the document. Listeners are asked about it before the document is read,
 * and told it when none needs the document. Immutable and thread-safe.
 *
 * @param docId the document's {@code _id}
 * @param revs its winning revision, and after it the other leaves as far as they are known, deleted ones too; never empty
 * @param own whether this process wrote that very revision, of a job that is not pending with it
 * @param jobId the identity of the job, read once from the {@code _id} for all listeners; empty for other documents
 */
public record FeedNotice(String docId, List<String> revs, boolean deleted, boolean own, Optional<JobId> jobId) {
    public FeedNotice {
        revs = List.copyOf(revs.isEmpty() ? List.of("") : revs);
    }

    /** Reads the identity of the job from the {@code _id}. */
    public FeedNotice(String docId, List<String> revs, boolean deleted, boolean own) {
        this(docId, revs, deleted, own, JobId.fromDocId(docId));
    }

    public String rev() {
        return revs.get(0);
    }

    public long generation() {
        return Rev.generation(rev());
    }

    /** {@return whether it is of the documents of which there may be very many: a job, or a part of its log} */
    public boolean isOfMany() {
        return docId.startsWith(DocIds.JOB) || docId.startsWith(DocIds.LOG);
    }

    /** {@return whether it is only read when a listener needs it: one of very many, or of the history, which is large} */
    public boolean isReadOnDemand() {
        return isOfMany() || docId.startsWith(DocIds.STATS);
    }

    /** {@return whether it may have more than one leaf that is not deleted} */
    public boolean mayBeConflicted() {
        return revs.size() > 1;
    }

    /** {@return whether it may be a job that was not there before} */
    public boolean mayBeNew() {
        return generation() == 1 && mayBePending();
    }

    /** {@return whether it may be a claimable job by another process's write} */
    public boolean mayBePending() {
        return !own && !deleted && docId.startsWith(DocIds.JOB);
    }
}
