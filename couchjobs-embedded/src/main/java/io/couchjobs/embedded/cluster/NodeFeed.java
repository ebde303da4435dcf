package io.couchjobs.embedded.cluster;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A feed for blocking code. Used by one thread; its state is accessed on the agenda's thread only. */
public final class NodeFeed implements AutoCloseable {
    private final ClusterNode node;
    private final Deque<FeedRow> rows = new ArrayDeque<>();
    private @Nullable ClusterFeed feed;
    private @Nullable Runnable awaiting;
    private Runnable forget = () -> {};
    private boolean ended;

    private NodeFeed(ClusterNode node) {
        this.node = node;
    }

    /** The next row, or the end of the feed, or neither after the timeout. */
    private record Next(Optional<FeedRow> row, boolean ended) {}

    static NodeFeed open(ClusterNode node, String database, String since) throws IOException {
        NodeFeed opened = new NodeFeed(node);
        boolean following = node.ask(database, (at, then) -> {
            opened.follow(at, since);
            then.accept(true);
        });
        assert following;
        return opened;
    }

    private void follow(Coordinator at, String since) {
        forget = at.member().onStop(this::end);
        feed = at.follow(since, new FeedListener() {
            @Override
            public void row(FeedRow row) {
                rows.add(row);
                wake();
            }

            @Override
            public void ended() {
                end();
            }
        });
    }

    private void end() {
        ended = true;
        wake();
    }

    private void wake() {
        Runnable waiting = awaiting;
        awaiting = null;
        if (waiting != null) {
            waiting.run();
        }
    }

    /**
     * Waits for the next row.
     *
     * @param millis the maximum time to wait
     * @return the row; empty when there was none in that time
     * @throws IOException when the feed has ended because its node, or the copy that it read, is gone
     */
    public Optional<FeedRow> next(long millis) throws IOException {
        Next next = node.await(then -> await(TimeUnit.MILLISECONDS.toMicros(millis), then));
        if (next.ended()) {
            throw new IOException("The changes that the feed read are gone.");
        }
        return next.row();
    }

    private void await(long micros, Consumer<Next> then) {
        Runnable take = () -> then.accept(take());
        if (ended || !rows.isEmpty()) {
            take.run();
            return;
        }
        awaiting = take;
        node.wire().agenda().after(micros, () -> {
            if (awaiting == take) {
                wake();
            }
        });
    }

    private Next take() {
        Optional<FeedRow> row = Optional.ofNullable(rows.poll());
        return new Next(row, ended && row.isEmpty());
    }

    /** Ends the feed. */
    @Override
    public void close() throws IOException {
        node.change(cluster -> {
            forget.run();
            if (feed != null) {
                feed.close();
            }
        });
    }
}
