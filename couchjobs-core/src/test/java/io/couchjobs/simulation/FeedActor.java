package io.couchjobs.simulation;

import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.cluster.FeedRow;
import io.couchjobs.embedded.cluster.NodeFeed;
import io.couchjobs.embedded.store.Doc;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.SimulatedFeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/** Brings the changes of a node to a {@link SimulatedFeed}, without the text of a feed: it is much faster than the product's. */
final class FeedActor {
    private final SimulatedProcess process;
    private final Door door;
    private final CouchDatabase database;
    private final double rewinds;
    private final SimulatedFeed feed;
    private String position = "0";
    private int at;

    FeedActor(SimulatedProcess process, Door door, CouchDatabase database, Plan plan, FeedListener... always) {
        this.process = process;
        this.door = door;
        this.database = database;
        this.rewinds = plan.has(Plan.Freedom.FAULTS) ? 0.003 : 0;
        this.at = door.start();
        this.feed = new SimulatedFeed(database, this::start, always);
    }

    Feed feed() {
        return feed;
    }

    private void start() {
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
            feed.tell(FeedListener::reconnected);
        }
    }

    private void read() throws IOException {
        try (NodeFeed open = door.node(at).follow(Client.DATABASE, position)) {
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
