package io.couchjobs.engine.worker;

import io.couchjobs.couch.config.CouchJobsException;

/** No majority of the copies is in reach, so nobody can tell which owners are alive. */
final class NoMajorityException extends CouchJobsException {
    private static final long serialVersionUID = 1L;

    NoMajorityException() {
        super("no majority of the copies is in reach; nobody can tell who is alive");
    }
}
