package io.couchjobs;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.engine.index.DesignDocument;
import io.couchjobs.engine.index.DesignDocuments;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The health of a queue: whether this process can claim jobs. Immutable and thread-safe.
 *
 * @param problems the reasons why jobs cannot be claimed, one sentence each; empty when they can
 */
public record QueueHealth(List<String> problems) {
    /**
     * Copies the list.
     *
     * @param problems the reasons why jobs cannot be claimed
     */
    public QueueHealth {
        problems = List.copyOf(problems);
    }

    /** {@return whether jobs can be claimed} */
    public boolean isUp() {
        return problems.isEmpty();
    }

    /**
     * Checks that the database exists, accepts the credentials, and has the design documents for finding jobs. Adds the errors of
     * each worker's last attempt to claim.
     */
    static QueueHealth of(CouchDatabase database, DesignDocuments designs, Map<String, String> troubles) {
        List<String> problems = new ArrayList<>();
        try {
            database.info();
            List<String> installed = designs.installed();
            DesignDocument.ALL.stream()
                    .filter(wanted -> installed.stream().noneMatch(name -> name.startsWith(wanted.name() + "-")))
                    .forEach(missing -> problems.add("the design document " + missing.versionedName()
                            + " is missing; a worker or couchjobs init pushes it"));
        } catch (CouchException trouble) {
            problems.add("the database cannot be used: " + trouble.getMessage());
        }
        troubles.forEach((worker, trouble) ->
                problems.add("worker " + worker + " cannot claim jobs and goes on trying: " + trouble));
        return new QueueHealth(problems);
    }

    @Override
    public String toString() {
        return isUp() ? "UP" : "DOWN: " + String.join("; ", problems);
    }
}
