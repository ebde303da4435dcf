package io.couchjobs.trigger;

import io.couchjobs.couch.config.CouchJobsException;

/** A document has the id of a trigger and cannot be one. It makes no jobs; to remove or replace it is possible. */
public final class MalformedTriggerException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    MalformedTriggerException(String name, String problem) {
        super("trigger " + name + " makes no jobs: " + problem);
    }
}
