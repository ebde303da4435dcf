package io.couchjobs.engine.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Finds out the fate of a new job that no quorum of a cluster confirmed: it may have met another write of the same
 * document, and lose. (A change of a job needs more: {@link Confirmation}.) Thread-safe.
 */
final class UnconfirmedWrites {
    private static final int MOST_LOOKS = 8;

    private final CouchDatabase database;
    private final LostAnswers lostAnswers;
    private final Conflicts conflicts;

    UnconfirmedWrites(CouchDatabase database, LostAnswers lostAnswers, Conflicts conflicts) {
        this.database = database;
        this.lostAnswers = lostAnswers;
        this.conflicts = conflicts;
    }

    /**
     * Lets the conflict be resolved, if there is one, and looks then. Waits for that for a few seconds at most.
     *
     * @param written the document as it was written
     * @return whether readers see the write, or a later change of it
     */
    boolean settled(ObjectNode written) {
        settle(JobId.fromDocId(written.path("_id").asText()).orElseThrow());
        Optional<WriteResult> found = lostAnswers.lookUp(List.of(written)).get(0);
        return found.isPresent() && !(found.get() instanceof WriteResult.Conflict);
    }

    /** Lets a conflict be resolved, if there is one, and waits for that for a few seconds at most. */
    void settle(JobId id) {
        conflicts.look(id);
        Backoff backoff =
                new Backoff(ServerAccess.environment(database.server()), Duration.ofMillis(20), Duration.ofSeconds(1));
        while (backoff.attempts() < MOST_LOOKS && isInConflict(id)) {
            pause(backoff, id);
        }
    }

    private boolean isInConflict(JobId id) {
        return database.getWithConflicts(id.docId())
                .filter(document -> document.has("_conflicts"))
                .isPresent();
    }

    static void pause(Backoff backoff, JobId id) {
        try {
            backoff.pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CouchJobsException(
                    "interrupted while changing job " + id + "; it is stored, but no quorum has confirmed that", e);
        }
    }
}
