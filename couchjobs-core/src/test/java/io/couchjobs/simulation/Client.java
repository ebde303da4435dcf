package io.couchjobs.simulation;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.InProcess;
import io.couchjobs.couch.config.CouchConfig;
import io.couchjobs.embedded.cluster.FeedRow;
import io.couchjobs.embedded.cluster.NodeFeed;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.engine.conflict.ConflictWatch;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.SimulatedFeed;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.BulkListener;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.JobWriter;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.watch.Subscriptions;
import io.couchjobs.job.AttachedData;
import io.couchjobs.job.Site;
import io.couchjobs.testing.TestQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A process that uses the queue: its client, its feed, and what the product makes of them. */
final class Client {
    static final String DATABASE = "jobs";

    private final SimulatedProcess process;
    private final Door door;
    private final CouchDatabase database;
    private final QueueParts parts;
    private final SimulatedFeed feed;
    private final double rewinds;
    private final Subscriptions subscriptions;
    private final ConflictWatch conflicts;
    private String position = "0";
    private int at;

    Client(SimulatedProcess process, Door door, Plan plan) {
        this.process = process;
        this.door = door;
        this.rewinds = plan.has(Plan.Freedom.FAULTS) ? 0.003 : 0;
        this.database = InProcess.connect(config(door, plan), door, task -> process.play("probe", task), process)
                .database(DATABASE);
        this.at = door.start();
        ServerClock clock = TestQueue.clock(process.clock(), database.server());
        SettingsStore settings = new SettingsStore(database, plan.timeout());
        JobIndex index = new JobIndex(new DesignDocuments(database));
        JobWriter writer = new JobWriter(database, Site.UNNAMED, BulkListener.UNHEARD);
        this.conflicts = new ConflictWatch(writer, index, settings, clock);
        JobStore store = new JobStore(writer, conflicts, List.of(), AttachedData.DEFAULT_LIMIT);
        this.feed = new SimulatedFeed(database, this::startFeed, conflicts, settings);
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
        return at;
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

    private void startFeed() {
        position = database.currentSeq();
        process.play("feed", this::follow);
    }

    private void follow() {
        while (true) {
            try {
                read();
            } catch (IOException | UncheckedIOException broken) {
                at = door.after(at);
            }
            process.pause(Duration.ofMillis(200));
            feed.tell(listener -> listener.reconnected());
        }
    }

    private void read() throws IOException {
        try (NodeFeed open = door.node(at).follow(DATABASE, position)) {
            while (true) {
                Optional<FeedRow> row = open.next(10_000);
                if (row.isEmpty()) {
                    requireAlive();
                } else if (process.random().nextDouble() < rewinds) {
                    position = "0";
                    return;
                } else {
                    dispatch(row.get());
                }
            }
        }
    }

    private void requireAlive() {
        process.stage().within(Duration.ofSeconds(5), () -> {
            try {
                door.node(at).requireAlive();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return true;
        });
    }

    private void dispatch(FeedRow row) {
        position = row.seq();
        Doc doc = row.doc();
        var json = doc.jsonWithConflicts();
        boolean conflicted = json.remove("_conflicts") != null;
        FeedEvent event = new FeedEvent(
                doc.id(),
                doc.rev().toString(),
                doc.node().deleted(),
                json,
                conflicted,
                doc.tree().leaves().stream().map(leaf -> leaf.rev().toString()).toList());
        feed.tell(listener -> listener.changed(event));
    }
}
