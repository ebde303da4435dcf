package io.couchjobs.engine.feed;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.job.JobId;
import java.util.List;
import java.util.Optional;

/**
 * The notice that a document changed, without the document. The feed shows it to the listeners before it reads the
 * document. If no listener needs the document, they get only the notice. Immutable and thread-safe.
 *
 * @param docId the document's {@code _id}
 * @param revs the winning revision, then the other known leaves, including deleted ones; never empty
 * @param own whether this process wrote exactly this revision, of a job that is not pending in it
 * @param jobId the job's identity, parsed once from the {@code _id} for all listeners; empty for other documents
 */
public record FeedNotice(String docId, List<String> revs, boolean deleted, boolean own, Optional<JobId> jobId) {
    public FeedNotice {
        revs = List.copyOf(revs.isEmpty() ? List.of("") : revs);
    }

    /** Parses the job's identity from the {@code _id}. */
    public FeedNotice(String docId, List<String> revs, boolean deleted, boolean own) {
        this(docId, revs, deleted, own, JobId.fromDocId(docId));
    }

    public String rev() {
        return revs.get(0);
    }

    public long generation() {
        return Rev.generation(rev());
    }

    /** {@return whether the document is of a kind of which there may be very many: a job, or a chunk of its log} */
    public boolean isOfMany() {
        return docId.startsWith(DocIds.JOB) || docId.startsWith(DocIds.LOG);
    }

    /**
     * {@return whether the document is read only when a listener needs it: a job, a chunk of a log, or the history,
     * which is large}
     */
    public boolean isReadOnDemand() {
        return isOfMany() || docId.startsWith(DocIds.STATS);
    }

    /** {@return whether the document may have more than one leaf that is not deleted} */
    public boolean mayBeConflicted() {
        return revs.size() > 1;
    }

    /** {@return whether the document may be a job that did not exist before} */
    public boolean mayBeNew() {
        return generation() == 1 && mayBePending();
    }

    /** {@return whether the document may be a pending job} */
    public boolean mayBePending() {
        return !own && !deleted && docId.startsWith(DocIds.JOB);
    }
}
