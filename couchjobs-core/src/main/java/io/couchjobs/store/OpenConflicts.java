package io.couchjobs.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchNotFoundException;
import io.couchjobs.couch.Tombstone;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The documents of a queue that have several leaves, or a claim that was withdrawn; and what becomes of those that are no jobs.
 * Thread-safe.
 */
final class OpenConflicts {
    private static final String VIEW = "conflicts";
    private static final int MOST = 1000;
    /** Documents that others keep in the same database are theirs. */
    private static final List<String> OURS =
            List.of(TypeSettings.PREFIX, "schedule:", "scope:", "slot:", "rate:", Owner.REGISTRATION, "gc:", "log:");

    private final CouchDatabase database;

    OpenConflicts(CouchDatabase database) {
        this.database = database;
    }

    /** The first of them, jobs and others, by {@code _id}. */
    List<String> read() {
        return ask(ViewQuery.of(DesignDocument.JOBS.versionedName(), VIEW).limit(MOST)).rows().stream()
                .map(row -> Objects.requireNonNull(row.id()))
                .toList();
    }

    /** Whether a document is one that couchjobs keeps beside its jobs. */
    static boolean isOurs(String docId) {
        return OURS.stream().anyMatch(docId::startsWith);
    }

    /**
     * The tombstones of the losing leaves of a document that is no job: what CouchDB chose to show stays. Whoever writes such a
     * document on something that he read goes by what is shown.
     */
    List<ObjectNode> losers(String docId) {
        List<ObjectNode> losers = new ArrayList<>();
        database.getWithConflicts(docId)
                .ifPresent(winner -> winner.path("_conflicts").forEach(rev -> losers.add(loser(winner, rev.asText()))));
        return losers;
    }

    private static ObjectNode loser(ObjectNode winner, String rev) {
        ObjectNode tombstone = Tombstone.of(winner.path("_id").asText(), rev);
        tombstone.putObject("resolved").put("by", winner.path("_rev").asText());
        return tombstone;
    }

    /** Not the older version that answers others while an index is being built: it may not have this view. */
    private ViewResult ask(ViewQuery query) {
        try {
            return database.view(query);
        } catch (CouchNotFoundException missing) {
            new DesignDocuments(database).push();
            return database.view(query);
        }
    }
}
