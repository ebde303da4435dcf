package io.couchjobs.engine.schedule;

import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.job.Listening;
import org.jspecify.annotations.Nullable;

/** The one scheduler of a queue: there while at least one worker wants it. Thread-safe. */
public final class SharedScheduler {
    private final QueueParts parts;
    private @Nullable Scheduler scheduler;
    private int wanted;

    /**
     * Prepares it. No I/O.
     *
     * @param parts what it works with
     */
    public SharedScheduler(QueueParts parts) {
        this.parts = parts;
    }

    /**
     * Starts the scheduler unless it runs already.
     *
     * @return ends it when closed, if nobody else wants it; closing twice does nothing
     * @throws io.couchjobs.couch.config.CouchException when the database cannot be reached
     */
    public synchronized Listening join() {
        if (scheduler == null) {
            Scheduler started = new Scheduler(parts);
            started.start();
            scheduler = started;
        }
        wanted++;
        boolean[] left = new boolean[1];
        return () -> leave(left);
    }

    private synchronized void leave(boolean[] left) {
        if (left[0]) {
            return;
        }
        left[0] = true;
        wanted--;
        if (wanted == 0 && scheduler != null) {
            scheduler.close();
            scheduler = null;
        }
    }
}
