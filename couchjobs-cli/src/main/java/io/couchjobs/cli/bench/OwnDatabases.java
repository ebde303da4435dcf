package io.couchjobs.cli.bench;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.couch.CouchServer;
import io.couchjobs.couch.config.CouchException;
import io.couchjobs.couch.config.CouchNotFoundException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Creates the databases of one benchmark, and deletes them at the end, whatever happens. No other database is touched.
 * Thread-safe: a shutdown hook may close this object during a measurement, and no database is created afterwards.
 */
final class OwnDatabases implements AutoCloseable {
    static final String PREFIX = "couchjobs-bench-";

    private final Place place;
    private final CouchServer server;
    private final Set<String> names = new LinkedHashSet<>();
    private boolean closed;

    OwnDatabases(Place place) {
        this.place = place;
        this.server = place.server().get();
    }

    CouchServer server() {
        return server;
    }

    /** Creates an empty database. */
    synchronized CouchDatabase create() {
        while (!closed) {
            String name = PREFIX + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
            CouchDatabase database = server.database(name);
            if (database.createIfMissing()) { // otherwise another program has a database of this name
                names.add(name);
                return database;
            }
        }
        throw new IllegalStateException("the benchmark has ended");
    }

    /** Opens a queue in a new database; {@link #drop(JobQueue)} closes it. */
    synchronized JobQueue queue() {
        JobQueue queue = place.queue().apply(create().name());
        try {
            queue.operations().init();
            return queue;
        } catch (RuntimeException trouble) {
            queue.close();
            throw trouble;
        }
    }

    void drop(JobQueue queue) {
        queue.close();
        drop(queue.database().name());
    }

    synchronized void drop(String name) {
        if (names.remove(name)) {
            delete(name);
        }
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Deletes all databases that are left, even when the thread is interrupted. */
    @Override
    public synchronized void close() {
        closed = true;
        boolean interrupted = Thread.interrupted();
        names.forEach(this::delete);
        names.clear();
        server.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void delete(String name) {
        try {
            server.database(name).delete();
        } catch (CouchNotFoundException gone) {
            // it is deleted already
        } catch (CouchException trouble) {
            place.say().accept("cannot delete the database " + name + ": " + trouble.getMessage());
        }
    }
}
