package io.couchjobs.engine.gc;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.testing.Stores;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Makes sweepers of a database, which look for their turn when they are told to. */
public final class Sweeps {
    private Sweeps() {}

    static Sweeper sweeper(
            String worker, CouchDatabase database, JobStore store, ServerClock clock, LongSupplier claims) {
        SettingsStore settings = new SettingsStore(database, Duration.ofSeconds(60));
        JobIndex index = new JobIndex(new DesignDocuments(database), store.site());
        return new Sweeper(new QueueParts(store, index, settings, Feeds.of(database), clock), worker, claims);
    }

    /** Lets a worker of that name look for its turn once. */
    public static void turn(String worker, CouchDatabase database, ServerClock clock) throws InterruptedException {
        try (JobStore store = Stores.of(database);
                Sweeper sweeper = sweeper(worker, database, store, clock, () -> 1)) {
            sweeper.turn();
        }
    }
}
