package io.couchjobs.job;

import io.couchjobs.couch.config.CouchJobsException;

/** A document in the queue's database has the id of a job but cannot be one: a field has the wrong type. */
public final class MalformedJobException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    MalformedJobException(String docId, String problem) {
        super("document " + docId + " is not a job: " + problem);
    }
}
