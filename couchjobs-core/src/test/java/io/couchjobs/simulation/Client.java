package io.couchjobs.simulation;

import io.couchjobs.couch.CouchConfig;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.InProcess;
import io.couchjobs.embedded.cluster.FeedRow;
import io.couchjobs.embedded.cluster.NodeFeed;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.store.Acceptor;
import io.couchjobs.store.ConflictWatch;
import io.couchjobs.store.DesignDocuments;
import io.couchjobs.store.FeedEvent;
import io.couchjobs.store.JobIndex;
import io.couchjobs.store.JobStore;
import io.couchjobs.store.SettingsStore;
import io.couchjobs.store.SimulatedFeed;
import io.couchjobs.store.StoreClock;
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
    private final Acceptor.Parts parts;
    private final SimulatedFeed feed;
    private final double rewinds;
    private String position = "0";
    private int at;

    /**
     * A client.
     *
     * @param rewinds which part of the rows of its feed is followed by what came long before
     */
    Client(SimulatedProcess process, Door door, Duration timeout, double rewinds) {
        this.process = process;
        this.door = door;
        this.rewinds = rewinds;
        this.database = InProcess.connect(config(door), door, task -> process.play("probe", task), process)
                .database(DATABASE);
        this.at = process.random().nextInt(door.count());
        this.feed = new SimulatedFeed(database, this::startFeed);
        StoreClock clock = new StoreClock(process.clock(), database.server());
        SettingsStore settings = new SettingsStore(database, timeout);
        feed.alwaysTell(settings);
        JobIndex index = new JobIndex(new DesignDocuments(database));
        JobStore store = new JobStore(database);
        feed.alwaysTell(new ConflictWatch(store, settings, clock));
        this.parts = new Acceptor.Parts(store, index, settings, feed, clock);
    }

    private static CouchConfig config(Door door) {
        List<URI> urls = door.urls();
        CouchConfig.Builder config =
                CouchConfig.builder(urls.get(0)).gzipNever().responseTimeout(Duration.ofSeconds(5));
        urls.subList(1, urls.size()).forEach(config::node);
        return config.build();
    }

    SimulatedProcess process() {
        return process;
    }

    Acceptor.Parts parts() {
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
                at = (at + 1) % door.count();
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
        FeedEvent event =
                new FeedEvent(doc.id(), doc.rev().toString(), doc.node().deleted(), json, conflicted);
        feed.tell(listener -> listener.changed(event));
    }
}
