package io.couchjobs;

/** A queue of jobs in one CouchDB database. */
public final class JobQueue {
    private JobQueue() {}
}
