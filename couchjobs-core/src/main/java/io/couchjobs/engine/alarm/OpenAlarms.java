package io.couchjobs.engine.alarm;

import io.couchjobs.job.Listening;
import java.util.HashSet;
import java.util.Set;

/** The started alarms of a queue, which end when the queue is closed. Thread-safe. */
public final class OpenAlarms implements AutoCloseable {
    private final Set<AlarmWatch> watches = new HashSet<>();
    private boolean closed;

    /** Starts a watch. Returns a handle that ends the watch. */
    synchronized Listening start(AlarmWatch watch) {
        if (closed) {
            throw new IllegalStateException("the queue is closed");
        }
        watches.add(watch);
        watch.start();
        return () -> end(watch);
    }

    private synchronized void end(AlarmWatch watch) {
        watch.close();
        watches.remove(watch);
    }

    @Override
    public synchronized void close() {
        closed = true;
        watches.forEach(AlarmWatch::close);
    }
}
