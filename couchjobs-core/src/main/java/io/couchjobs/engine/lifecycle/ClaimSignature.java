package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;

/**
 * The user that a worker is logged in as at CouchDB. The lock of a claimed job notes it, so that a database with a
 * guard can refuse the owner's transitions to all others. Without a login nothing is noted. Stateless.
 */
public final class ClaimSignature {
    private static final String USER = "user";

    private ClaimSignature() {}

    /**
     * Notes the user that claimed a job.
     *
     * @param claimed a job with a lock, not stored yet
     * @param user the name of the user that will write it
     */
    public static Job sign(Job claimed, String user) {
        ObjectNode lock = claimed.document().path(Field.LOCK).deepCopy();
        return claimed.with(Field.LOCK, lock.put(USER, user));
    }
}
