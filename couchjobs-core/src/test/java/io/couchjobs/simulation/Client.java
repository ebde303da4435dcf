package io.couchjobs.simulation;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.engine.conflict.ConflictWatch;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.watch.Subscriptions;
import io.couchjobs.job.AttachedData;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.util.List;

/** A process that uses the queue: its client, its feed, and what the product makes of them. */
final class Client {
    static final String DATABASE = "jobs";

    private final SimulatedProcess process;
    private final Door door;
    private final CouchDatabase database;
    private final QueueParts parts;
    private final Feed feed;
    private final Subscriptions subscriptions;
    private final ConflictWatch conflicts;

    Client(SimulatedProcess process, Door door, Plan plan) {
        this.process = process;
        this.door = door;
        this.database = InProcess.connect(config(door, plan), door, task -> process.play("probe", task), process)
                .database(DATABASE);
        ServerClock clock = TestQueue.clock(process.clock(), database.server());
        SettingsStore settings = new SettingsStore(database, plan.timeout());
        JobIndex index = new JobIndex(new DesignDocuments(database));
        JobWriter writer = Stores.writer(database);
        this.conflicts = new ConflictWatch(writer, index, settings, clock);
        JobStore store = new JobStore(writer, conflicts, List.of(), AttachedData.DEFAULT_LIMIT);
        this.feed = new Feed(store, List.of(conflicts, settings));
        this.parts = new QueueParts(store, index, settings, feed, clock);
        this.subscriptions = new Subscriptions(feed, store);
    }

    private static CouchConfig config(Door door, Plan plan) {
        List<URI> urls = door.urls();
        CouchConfig.Builder config =
                CouchConfig.builder(urls.get(0)).gzipAbove(Integer.MAX_VALUE).responseTimeout(plan.patience());
        urls.subList(1, urls.size()).forEach(config::node);
        return config.build();
    }

    ConflictWatch conflicts() {
        return conflicts;
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    /** {@return a node that the process can ask} */
    int node() {
        return door.start();
    }

    Door door() {
        return door;
    }

    SimulatedProcess process() {
        return process;
    }

    QueueParts parts() {
        return parts;
    }

    CouchDatabase database() {
        return database;
    }
}
