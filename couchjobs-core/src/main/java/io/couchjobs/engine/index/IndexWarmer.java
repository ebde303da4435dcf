package io.couchjobs.engine.index;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the indexes updated half a minute after many writes, so that the next query does not wait long. The server would
 * update them by itself, but at once: during a burst of work, and for states of jobs that are over a moment later.
 * Thread-safe.
 */
public final class IndexWarmer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IndexWarmer.class);
    private static final int MANY = 1_000;
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final Runnable warm;
    private final Lane lane;
    private long writes;

    /**
     * No I/O.
     *
     * @param warm requests the update, and does not wait for it
     */
    public IndexWarmer(Runnable warm, Environment environment) {
        this.warm = warm;
        this.lane = environment.lane("couchjobs-warmer", 1);
    }

    /** Takes in the number of documents that were written. */
    public synchronized void wrote(int documents) {
        boolean isPlanned = writes >= MANY;
        writes += documents;
        if (!isPlanned && writes >= MANY) {
            lane.schedule(PAUSE, this::warm);
        }
    }

    /** Requests the update at once if there were many writes, because the process ends. */
    @Override
    public void close() {
        lane.close();
        warm();
    }

    private void warm() {
        if (!takeMany()) {
            return;
        }
        try {
            warm.run();
        } catch (RuntimeException trouble) {
            log.debug("the indexes cannot be brought up to date now: {}", trouble.toString());
        }
    }

    private synchronized boolean takeMany() {
        boolean areMany = writes >= MANY;
        writes = 0;
        return areMany;
    }
}
