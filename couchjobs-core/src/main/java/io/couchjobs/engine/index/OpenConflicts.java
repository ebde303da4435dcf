package io.couchjobs.engine.index;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.engine.document.DocIds;
import java.util.List;
import java.util.Objects;

/**
 * The documents of a queue that have several leaves, or a claim that was withdrawn.
 * Thread-safe.
 */
public final class OpenConflicts {
    private static final String VIEW = "conflicts";
    private static final int MOST = 1000;
    /** Foreign documents in the same database are left alone. */
    private static final List<String> OURS = List.of(
            DocIds.TYPE, DocIds.SCHEDULE, DocIds.SCOPE, DocIds.SLOT, DocIds.RATE, DocIds.WORKER, DocIds.GC, DocIds.LOG);

    private final CouchDatabase database;

    public OpenConflicts(CouchDatabase database) {
        this.database = database;
    }

    /** The {@code _id}s of the first of them, jobs and others. */
    public List<String> read() {
        return ask(ViewQuery.of(DesignDocument.JOBS.versionedName(), VIEW).limit(MOST)).rows().stream()
                .map(row -> Objects.requireNonNull(row.id()))
                .toList();
    }

    /** Whether a document is one that couchjobs keeps beside its jobs. */
    public static boolean isOurs(String docId) {
        return OURS.stream().anyMatch(docId::startsWith);
    }

    /** Never asks an older version while the index is being built: it may not have this view. */
    private ViewResult ask(ViewQuery query) {
        try {
            return database.view(query);
        } catch (CouchNotFoundException missing) {
            new DesignDocuments(database).push();
            return database.view(query);
        }
    }
}
