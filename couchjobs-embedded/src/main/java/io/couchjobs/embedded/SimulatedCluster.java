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
 * Several CouchDB-compatible servers in this process that behave like the nodes of one cluster, for development and tests. Each
 * node has a copy of every document, and writes are answered 201, 202 or 409 by quorum. Concurrent writers at different nodes
 * cause conflicts as often as with CouchDB 3.5. All data is in memory, and there are no access rights.
 *
 * <p>Documents are written and read by quorum. Views, ranges of {@code _all_docs} and feeds are read from one copy. A single
 * attachment comes from the node that was asked. Settings and purges apply only to that node. Thread-safe.
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
     * Starts a cluster with each node on a free port.
     *
     * @param nodes the number of nodes; at least 1
     * @param seed the seed of all delays between the nodes; threads and sockets add delays of their own
     * @return the cluster, listening on the loopback interface
     */
    public static SimulatedCluster start(int nodes, long seed) {
        return start(nodes, 0, seed);
    }

    /**
     * Starts a cluster.
     *
     * @param nodes the number of nodes; at least 1
     * @param port the port of the first node; the other nodes get the following ports. 0 gives each node a free port
     * @param seed the seed of all delays between the nodes
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
     * Returns the addresses of the nodes.
     *
     * @return the addresses, each with a slash at the end
     */
    public List<URI> urls() {
        return frontends.stream()
                .map(frontend -> URI.create("http://127.0.0.1:" + frontend.port() + "/"))
                .toList();
    }

    /**
     * Kills a node. Connections to the node break; its stored data is kept.
     *
     * @param node the number of the node, from 0
     */
    public void stop(int node) {
        change(it -> it.stop(node));
    }

    /**
     * Restarts a killed node. The other nodes send it the writes that it missed.
     *
     * @param node the number of the node, from 0
     */
    public void start(int node) {
        change(it -> it.start(node));
    }

    /**
     * Suspends a node until {@link #thaw}. Requests to the node wait.
     *
     * @param node the number of the node, from 0
     */
    public void freeze(int node) {
        change(it -> it.freeze(node));
    }

    /**
     * Resumes a frozen node.
     *
     * @param node the number of the node, from 0
     */
    public void thaw(int node) {
        change(it -> it.thaw(node));
    }

    /**
     * Disconnects a node from the other nodes, but not from its clients.
     *
     * @param node the number of the node, from 0
     */
    public void isolate(int node) {
        change(it -> it.isolate(node));
    }

    /**
     * Reconnects a node with the other nodes.
     *
     * @param node the number of the node, from 0
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

    /** Closes all connections. All data is lost. */
    @Override
    public void close() {
        frontends.forEach(Frontend::close);
        time.close();
        cluster.close();
    }
}
