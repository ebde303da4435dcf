package io.couchjobs.engine.gc;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.IndexBeingBuiltException;
import io.couchjobs.couch.ViewQuery;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import io.couchjobs.couch.config.CouchUnreachableException;
import io.couchjobs.engine.couch.ServerAccess;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.time.Backoff;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Makes CouchDB rewrite the files of a database and of couchjobs' indexes, without data that is not needed any more. */
final class Compaction {
    /** The compaction of a smaller database ends before its state can be asked. */
    private static final long SMALL_BYTES = 4_000_000;
    /** The time that a server may take to begin. */
    private static final Duration MOMENT = Duration.ofMillis(50);

    private static final int QUIET_LOOKS = 6;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final CouchDatabase database;
    private final DesignDocuments designs;

    Compaction(CouchDatabase database, DesignDocuments designs) {
        this.database = database;
        this.designs = designs;
    }

    /** {@return the size on disk of the database and of couchjobs' indexes; 0 when the server does not tell} */
    long bytes() {
        return Math.max(0, database.info().fileSize())
                + designs.installed().stream().mapToLong(this::bytes).sum();
    }

    /**
     * Returns 0 when the size is unknown: a server other than CouchDB may not know it, or the design document was removed
     * just now.
     */
    private long bytes(String design) {
        try {
            return Math.max(0, database.viewInfo(design).fileSize());
        } catch (CouchException untold) {
            return 0;
        }
    }

    /**
     * Waits until the indexes have processed all changes, however long a new index takes to build. An index that has not
     * processed a purge keeps CouchDB from forgetting the purged documents.
     */
    void catchUp() throws InterruptedException {
        for (String design : designs.installed()) {
            Optional<String> view = designs.read(design)
                    .map(document -> document.path("views").fieldNames())
                    .filter(Iterator::hasNext)
                    .map(Iterator::next);
            if (view.isPresent()) {
                catchUp(ViewQuery.of(design, view.get()).reduce(false).limit(0));
            }
        }
    }

    /**
     * Waits for one index. A server that builds an index does not answer until it is done, and continues when nobody waits
     * any more.
     */
    private void catchUp(ViewQuery query) throws InterruptedException {
        Backoff backoff = new Backoff(ServerAccess.environment(database.server()), SHORTEST_PAUSE, LONGEST_PAUSE);
        while (true) {
            try {
                database.view(query);
                return;
            } catch (CouchNotFoundException removedMeanwhile) {
                return;
            } catch (IndexBeingBuiltException building) {
                backoff.pause();
            } catch (CouchUnreachableException perhapsBuilding) {
                database.info(); // fails when the server is really unreachable
                backoff.pause();
            }
        }
    }

    void run(LongConsumer progress) throws InterruptedException {
        catchUp();
        database.cleanUpViews();
        database.compact();
        await(database::isCompacting, progress);
        List<String> installed = designs.installed();
        installed.forEach(database::compactViews);
        await(() -> installed.stream().anyMatch(this::isCompacting), progress);
    }

    private boolean isCompacting(String design) {
        try {
            return database.viewInfo(design).compacting();
        } catch (CouchNotFoundException removedMeanwhile) {
            return false;
        }
    }

    private void await(BooleanSupplier isRunning, LongConsumer progress) throws InterruptedException {
        Backoff backoff = new Backoff(ServerAccess.environment(database.server()), SHORTEST_PAUSE, LONGEST_PAUSE);
        int looks = bytes() < SMALL_BYTES ? 1 : QUIET_LOOKS;
        for (int quiet = 0; quiet < looks; quiet++) {
            ServerAccess.environment(database.server()).pause(MOMENT);
            while (isRunning.getAsBoolean()) {
                quiet = 0;
                progress.accept(bytes());
                backoff.pause();
            }
        }
    }
}
