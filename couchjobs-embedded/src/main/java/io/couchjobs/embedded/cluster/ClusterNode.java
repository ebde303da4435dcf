package io.couchjobs.embedded.cluster;

import io.couchjobs.embedded.protocol.CouchError;
import io.couchjobs.embedded.store.CouchStore;
import io.couchjobs.embedded.store.Database;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node for code that blocks: asks its coordinator over the wire, as a client does. As thread-safe as its waiter.
 *
 * @param number from 0 on
 */
public record ClusterNode(int number, Cluster cluster, Wire wire, Waiter waiter) {
    /** {@return the databases on the node's own disk} */
    public CouchStore store() {
        return cluster.store(number);
    }

    /** {@return the node's own copy of a database of one range, or that of another node where it has none} */
    public Database own(String database) {
        return cluster.copyFor(number, database);
    }

    /**
     * {@return the copies of a database of one range that may answer a view at this node, its own first} CouchDB asks all, and takes
     * the one that answers first.
     */
    public List<Database> inReach(String database) {
        return cluster.copiesFor(number, database);
    }

    /**
     * Asks about a database.
     *
     * @throws IOException when there is no answer; what was asked may have been done
     * @throws CouchError when there is no such database
     */
    public <T> T ask(String database, BiConsumer<Coordinator, Consumer<T>> question) throws IOException {
        return ask(() -> cluster.node(number, database), question);
    }

    /** Returns while the node answers its clients, and waits while it is frozen. */
    public void requireAlive() throws IOException {
        boolean alive = ask(() -> cluster.bare(number), Coordinator::ping);
        assert alive;
    }

    /** {@return the names of the nodes that this one is connected with, itself among them} */
    public List<String> connected() throws IOException {
        return this.<List<String>>ask(() -> cluster.bare(number), Coordinator::connected);
    }

    private <T> T ask(Supplier<Coordinator> coordinator, BiConsumer<Coordinator, Consumer<T>> question)
            throws IOException {
        Optional<T> answer = await(then -> wire.ask(
                coordinator.get(),
                question,
                value -> then.accept(Optional.of(value)),
                failure -> then.accept(Optional.empty())));
        return answer.orElseThrow(() -> new IOException("The node " + number + " gave no answer."));
    }

    /** Follows the changes of a database from a position of any node, or {@code 0}. */
    public NodeFeed follow(String database, String since) throws IOException {
        return NodeFeed.open(this, database, since);
    }

    /** Does something to the whole cluster. */
    public void change(Consumer<Cluster> change) throws IOException {
        boolean done = await(then -> {
            change.accept(cluster);
            then.accept(true);
        });
        assert done;
    }

    <T> T await(Consumer<Consumer<T>> question) throws IOException {
        try {
            return waiter.ask(question);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }
}
