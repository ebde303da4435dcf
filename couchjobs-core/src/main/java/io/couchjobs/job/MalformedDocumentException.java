package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/**
 * A document in the queue's database has the id of a job, a schedule or a trigger and cannot be one: a field is missing or has a wrong
 * value. A malformed schedule or trigger makes no jobs; to remove or replace it is possible.
 */
public final class MalformedDocumentException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    /**
     * Says what is wrong.
     *
     * @param problem the document and its problem
     */
    public MalformedDocumentException(String problem) {
        super(problem);
    }
}
