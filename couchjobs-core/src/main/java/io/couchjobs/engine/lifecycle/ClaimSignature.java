package io.couchjobs.engine.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import io.couchjobs.job.Job;

/**
 * Records the CouchDB user of the worker in the lock of a claimed job. A database with a guard can then refuse the owner's
 * transitions to all other users. Without a login nothing is recorded. Stateless.
 */
public final class ClaimSignature {
    private static final String USER = "user";

    private ClaimSignature() {}

    /**
     * Records the user that claims a job.
     *
     * @param claimed a job with a lock, not stored yet
     * @param user the name of the user that will write the job
     */
    public static Job sign(Job claimed, String user) {
        ObjectNode lock = claimed.document().path(Field.LOCK).deepCopy();
        return claimed.with(Field.LOCK, lock.put(USER, user));
    }
}
