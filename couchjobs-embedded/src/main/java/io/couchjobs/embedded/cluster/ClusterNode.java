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
 * A node for blocking code, which asks the node's coordinator over the wire, like a client. As thread-safe as its waiter.
 *
 * @param number the number of the node, from 0
 */
public record ClusterNode(int number, Cluster cluster, Wire wire, Waiter waiter) {
    /** {@return the store of the node} */
    public CouchStore store() {
        return cluster.store(number);
    }

    /** {@return the node's own copy of a database with one range, or the first node's copy if it has none} */
    public Database own(String database) {
        return cluster.copyFor(number, database);
    }

    /**
     * {@return the copies of a database with one range that may answer a view at this node, its own copy first} CouchDB asks all
     * copies and uses the first answer.
     */
    public List<Database> inReach(String database) {
        return cluster.copiesFor(number, database);
    }

    /**
     * Asks the coordinator about a database.
     *
     * @throws IOException when there is no answer; a write may have been stored
     * @throws CouchError when there is no such database
     */
    public <T> T ask(String database, BiConsumer<Coordinator, Consumer<T>> question) throws IOException {
        return ask(() -> cluster.node(number, database), question);
    }

    /** Returns if the node is alive. Waits while the node is frozen. */
    public void requireAlive() throws IOException {
        boolean alive = ask(() -> cluster.bare(number), Coordinator::ping);
        assert alive;
    }

    /** {@return the names of the nodes that this node is connected with, including itself} */
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

    /** Follows the changes of a database after a position, which any node may have given, or {@code 0}. */
    public NodeFeed follow(String database, String since) throws IOException {
        return NodeFeed.open(this, database, since);
    }

    /** Changes the cluster. */
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
