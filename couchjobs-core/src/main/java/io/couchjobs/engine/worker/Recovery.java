package io.couchjobs.engine.worker;

import io.couchjobs.engine.settings.QueueParts;
import org.jspecify.annotations.Nullable;

/**
 * Sets jobs of dead owners free in a process that accepts jobs without a worker. Thread-safe.
 *
 * <p>A worker has an activity monitor of its own. A program that only accepts would wait for ever for a job whose owner died.
 */
public final class Recovery implements AutoCloseable {
    private final QueueParts parts;
    private final String client;
    private @Nullable ActivityMonitor monitor;
    private boolean closed;

    /**
     * Prepares it. No I/O.
     *
     * @param parts what it works with
     * @param client the id that the locks of this process's jobs carry
     */
    public Recovery(QueueParts parts, String client) {
        this.parts = parts;
        this.client = client;
    }

    /**
     * Starts to watch the jobs of all owners, this process among them, unless it does so already.
     *
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    public synchronized void begin() {
        if (monitor == null && !closed) {
            // Its id is new with each process: no former process of this id left a job behind.
            ActivityMonitor begun = new ActivityMonitor(parts, client, job -> true);
            begun.start();
            monitor = begun;
        }
    }

    /** Ends the watching for good. */
    @Override
    public synchronized void close() {
        closed = true;
        if (monitor != null) {
            monitor.close();
        }
    }
}
