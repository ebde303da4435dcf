package io.couchjobs.engine.trigger;

import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;

/**
 * The servers of the sources that this process can follow: the queue's own server, and the servers of named connections. A
 * connection is opened when it is first used. Thread-safe.
 */
public final class Sources implements AutoCloseable {
    /**
     * The maximum number of databases that are each followed on their own connection at a time. Other databases are asked in turn.
     * Waiting for the news of a pattern counts as one database.
     */
    static final int MOST_LISTENING = 24;

    private final CouchServer own;
    private final Map<String, CouchConfig> named;
    private final Map<String, CouchServer> open = new HashMap<>();
    private final Semaphore listening = new Semaphore(MOST_LISTENING);

    /**
     * Creates the servers without I/O.
     *
     * @param named the configurations of the named connections
     */
    public Sources(CouchServer own, Map<String, CouchConfig> named) {
        this.own = own;
        this.named = Map.copyOf(named);
    }

    Set<String> names() {
        return named.keySet();
    }

    boolean has(Optional<String> connection) {
        return connection.map(named::containsKey).orElse(true);
    }

    /** Returns the server of a connection; throws IllegalArgumentException when this process has no connection of that name. */
    synchronized CouchServer server(Optional<String> connection) {
        if (connection.isEmpty()) {
            return own;
        }
        CouchConfig config = named.get(connection.get());
        if (config == null) {
            throw new IllegalArgumentException("this process has no connection " + connection.get() + "; it has "
                    + (named.isEmpty()
                            ? "none"
                            : String.join(", ", named.keySet().stream().sorted().toList())));
        }
        return open.computeIfAbsent(connection.get(), name -> CouchServer.connect(config));
    }

    Semaphore listening() {
        return listening;
    }

    @Override
    public synchronized void close() {
        open.values().forEach(CouchServer::close);
    }
}
