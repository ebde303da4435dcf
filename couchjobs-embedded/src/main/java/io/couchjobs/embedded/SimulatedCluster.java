package io.couchjobs.embedded;

import io.couchjobs.embedded.cluster.Cluster;
import io.couchjobs.embedded.cluster.ClusterNode;
import io.couchjobs.embedded.cluster.RandomDelays;
import io.couchjobs.embedded.cluster.RealTime;
import io.couchjobs.embedded.cluster.Wire;
import io.couchjobs.embedded.http.Frontend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Several CouchDB-compatible servers in this process that behave as the nodes of one cluster, for development and tests. Each has
 * a copy of every document, and writes are answered 201, 202 or 409 by quorum. Racing writers at different nodes leave conflicts
 * as often as with CouchDB 3.5. Everything is in memory, and everybody may do everything.
 *
 * <p>Documents are written and read by quorum; views, ranges of {@code _all_docs} and feeds come from one copy. A single
 * attachment comes from the node that was asked; settings and purges stay on that node. Thread-safe.
 */
public final class SimulatedCluster implements AutoCloseable {
    private final RealTime time = new RealTime();
    private final Cluster cluster;
    private final List<Frontend> frontends = new ArrayList<>();

    private SimulatedCluster(int nodes, long seed) {
        Cluster.Settings defaults = Cluster.Settings.DEFAULTS;
        this.cluster = new Cluster(
                time,
                new RandomDelays(seed, RandomDelays.Means.COUCHDB_3_5),
                new Cluster.Settings(nodes, 1, defaults.tick(), defaults.timeout()));
    }

    /**
     * Starts the nodes, each on a free port.
     *
     * @param nodes how many; at least 1
     * @param seed from which all delays between the nodes are drawn; threads and sockets add their own
     * @return the cluster, listening on the loopback interface
     */
    public static SimulatedCluster start(int nodes, long seed) {
        return start(nodes, 0, seed);
    }

    /**
     * Starts the nodes.
     *
     * @param nodes how many; at least 1
     * @param port of the first node, the others follow; 0 gives each a free one
     * @param seed from which all delays between the nodes are drawn
     * @return the cluster, listening on the loopback interface
     * @throws UncheckedIOException when a port is taken
     */
    public static SimulatedCluster start(int nodes, int port, long seed) {
        SimulatedCluster started = new SimulatedCluster(nodes, seed);
        try {
            started.listen(nodes, port, seed);
            return started;
        } catch (IOException e) {
            started.close();
            throw new UncheckedIOException(e);
        }
    }

    private void listen(int nodes, int port, long seed) throws IOException {
        Wire wire = new Wire(time, cluster, new Wire.Trouble(0, 0, 0), seed);
        for (int number = 0; number < nodes; number++) {
            ClusterNode node = new ClusterNode(number, cluster, wire, time);
            frontends.add(Frontend.start(port == 0 ? 0 : port + number, node));
        }
    }

    /**
     * Where the nodes answer.
     *
     * @return their addresses, each with a slash at the end
     */
    public List<URI> urls() {
        return frontends.stream()
                .map(frontend -> URI.create("http://127.0.0.1:" + frontend.port() + "/"))
                .toList();
    }

    /**
     * Kills a node: connections to it break, its stored data is kept.
     *
     * @param node from 0 on
     */
    public void stop(int node) {
        change(it -> it.stop(node));
    }

    /**
     * Starts a killed node again; the others send it what it missed.
     *
     * @param node from 0 on
     */
    public void start(int node) {
        change(it -> it.start(node));
    }

    /**
     * Lets a node do nothing until it is thawed; requests to it wait.
     *
     * @param node from 0 on
     */
    public void freeze(int node) {
        change(it -> it.freeze(node));
    }

    /**
     * Lets a frozen node go on.
     *
     * @param node from 0 on
     */
    public void thaw(int node) {
        change(it -> it.thaw(node));
    }

    /**
     * Cuts a node off from the others, not from its clients.
     *
     * @param node from 0 on
     */
    public void isolate(int node) {
        change(it -> it.isolate(node));
    }

    /**
     * Connects a node with the others again.
     *
     * @param node from 0 on
     */
    public void heal(int node) {
        change(it -> it.heal(node));
    }

    private void change(Consumer<Cluster> change) {
        try {
            boolean done = time.ask(then -> {
                change.accept(cluster);
                then.accept(true);
            });
            assert done;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while changing the simulated cluster.", e);
        }
    }

    /** Ends all connections; everything is forgotten. */
    @Override
    public void close() {
        frontends.forEach(Frontend::close);
        time.close();
        cluster.close();
    }
}
