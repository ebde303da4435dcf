package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.DocIds;
import org.jspecify.annotations.Nullable;

/**
 * A change of a job, or of another document of a queue, is stored, but unconfirmed. Only a minority of the copies of a
 * cluster is known to have the change. When a worker claims the job at the other copies, the change is lost. Making the
 * change again, when they are back, is safe. This is thrown, too, when a job seems to need no change and no majority is in
 * reach to confirm that.
 */
public final class UnconfirmedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * For a document that is no job. Its change was taken back where that was possible. The name of a site is never taken back: it may be
     * stored.
     *
     * @param docId the document
     */
    public UnconfirmedException(String docId) {
        super("no majority of the copies confirmed the change to " + named(docId)
                + "; it may be undone: try again when the cluster is whole");
    }

    /**
     * Names the job.
     *
     * @param id the job
     */
    public UnconfirmedException(JobId id) {
        this(id, null);
    }

    /**
     * Names the job.
     *
     * @param id the job
     * @param cause the reason why the change was not confirmed
     */
    public UnconfirmedException(JobId id, @Nullable Throwable cause) {
        super(
                "job " + id + ": no majority of the copies has confirmed it as it is here. A change of it is lost when"
                        + " another node's worker claims the job. Make the change again when all nodes are back",
                cause);
    }

    private static String named(String docId) {
        String name = docId.substring(docId.indexOf(':') + 1);
        if (docId.startsWith(DocIds.TYPE)) {
            return "the settings of type " + name;
        } else if (docId.startsWith(DocIds.SCHEDULE)) {
            return "schedule " + name;
        } else if (docId.startsWith(DocIds.SCOPE)) {
            return "scope " + name;
        } else if (docId.equals(DocIds.SITE)) {
            return "the site of the database";
        }
        return docId;
    }
}
