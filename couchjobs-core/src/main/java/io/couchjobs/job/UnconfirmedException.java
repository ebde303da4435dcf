package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.DocIds;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a change of a job, or of another document of a queue, is stored but unconfirmed. Only a minority of the copies of a
 * cluster is known to have the change. The change is lost when a worker claims the job at the other copies. It is safe to repeat
 * the change when the other copies are back. Also thrown when a job seems to need no change, but no majority can be reached to
 * confirm that.
 */
public final class UnconfirmedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for a document that is not a job. The change of the document was undone if possible. The name of a site
     * is never undone: it may be stored.
     *
     * @param docId the document
     */
    public UnconfirmedException(String docId) {
        super("no majority of the copies confirmed the change to " + named(docId)
                + "; it may be undone: try again when the cluster is whole");
    }

    /**
     * Creates the exception for a job.
     *
     * @param id the job
     */
    public UnconfirmedException(JobId id) {
        this(id, null);
    }

    /**
     * Creates the exception for a job.
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
