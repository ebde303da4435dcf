package io.couchjobs.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.problem.CouchJobsException;

/** The database's own rules refuse a document, for example a {@code validate_doc_update} function. Nothing was written. */
public final class WriteRefusedException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * Says what the server said.
     *
     * @param refused its answer
     */
    public WriteRefusedException(WriteResult.Refused refused) {
        super("CouchDB refused to store " + refused.id() + ": " + refused.error() + ", " + refused.reason());
        this.status = refused.status();
    }

    /** {@return the HTTP status that stands for the refusal, such as 403} */
    public int status() {
        return status;
    }
}
