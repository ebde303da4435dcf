package io.couchjobs.schedule;

import io.couchjobs.couch.config.CouchJobsException;

/** A document has the id of a schedule and cannot be one. It makes no jobs; to remove or replace it is possible. */
public final class MalformedScheduleException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    MalformedScheduleException(String name, String problem) {
        super("schedule " + name + " makes no jobs: " + problem);
    }
}
