package io.couchjobs.engine.trigger;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Changes documents that belong to the user: on the revision read, again after a lost race, and until a majority of the copies has the
 * change. A document that is gone is left alone. Thread-safe.
 */
final class UserDocuments {
    private static final int MOST_ATTEMPTS = 12;

    private final CouchDatabase database;
    private final Environment environment;

    UserDocuments(CouchDatabase database, Environment environment) {
        this.database = database;
        this.environment = environment;
    }

    /**
     * Changes a document.
     *
     * @param change the same document changes nothing
     * @throws WriteRefusedException when the database's own rules refuse the change
     * @throws CouchJobsException when others were always faster, or no majority is in reach; it can be tried again
     */
    void change(String docId, UnaryOperator<ObjectNode> change) {
        Backoff backoff = new Backoff(environment, Duration.ofMillis(5), Duration.ofMillis(500));
        boolean isConfirmed = true;
        while (backoff.attempts() < MOST_ATTEMPTS) {
            Optional<ObjectNode> present = database.get(docId);
            if (present.isEmpty()) {
                return;
            }
            ObjectNode next = change.apply(present.get());
            if (isConfirmed && next.equals(present.get())) {
                return;
            }
            WriteResult written = WriteRefusedException.check(database.put(next));
            if (written instanceof WriteResult.Stored) {
                return;
            }
            isConfirmed &= !(written instanceof WriteResult.Accepted);
            if (!backoff.pauseUnlessInterrupted()) {
                throw new CouchJobsException("interrupted while changing document " + docId);
            }
        }
        throw new CouchJobsException("document " + docId + " of " + database.name()
                + " could not be changed: others were faster, or no majority of its copies is in reach");
    }
}
