package io.couchjobs.embedded.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A continuous feed. It reads again whenever a copy of the database, on any node, reports a change. It dies with its node. It
 * ends with its database, or when its node has lost all copies of a range. Later changes in that range would not be reported to
 * the feed.
 */
public final class ClusterFeed implements AutoCloseable {
    private final Shards shards;
    private final Member at;
    private final FeedListener listener;
    private final List<Runnable> listening = new ArrayList<>();
    private PackedSeq position;
    private boolean busy;
    private boolean again;
    private boolean closed;

    private ClusterFeed(Shards shards, Member at, PackedSeq since, FeedListener listener) {
        this.shards = shards;
        this.at = at;
        this.position = since;
        this.listener = listener;
    }

    static ClusterFeed start(Shards shards, Member at, PackedSeq since, FeedListener listener) {
        ClusterFeed feed = new ClusterFeed(shards, at, since, listener);
        shards.all().forEach(copy -> {
            feed.listening.add(copy.onChange(() -> feed.changed(copy)));
            feed.listening.add(copy.onDelete(() -> at.perform(0, feed::lost)));
        });
        feed.listening.add(shards.network().onLost(link -> feed.lost(link)));
        feed.listening.add(at.onStop(feed::close));
        at.perform(0, feed::read);
        return feed;
    }

    /** Reads again after a copy's node has sent a message. No message arrives from a node that is out of reach. */
    private void changed(Copy copy) {
        shards.tell(copy.member(), at, this::read);
    }

    private void read() {
        if (closed) {
            return;
        }
        again = busy;
        if (!busy) {
            busy = true;
            FeedRound.start(shards, at, position, this::deliver, this::ended);
        }
    }

    private void deliver(FeedRow row) {
        if (!closed) {
            listener.row(row);
        }
    }

    private void ended(Optional<PackedSeq> reached) {
        busy = false;
        if (closed) {
            return;
        }
        if (reached.isEmpty()) {
            lost();
            return;
        }
        position = reached.get();
        if (again) {
            read();
        }
    }

    private void lost(Link link) {
        boolean isBlind = link.joins(at)
                && IntStream.range(0, shards.ranges().count())
                        .anyMatch(range -> shards.reachable(at, range).isEmpty());
        if (isBlind) {
            at.perform(0, this::lost);
        }
    }

    private void lost() {
        if (!closed) {
            close();
            listener.ended();
        }
    }

    /** Ends the feed. No further rows are delivered. */
    @Override
    public void close() {
        closed = true;
        listening.forEach(Runnable::run);
        listening.clear();
    }
}
