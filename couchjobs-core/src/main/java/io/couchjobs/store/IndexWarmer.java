package io.couchjobs.store;

import io.couchjobs.couch.Surroundings;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the indexes brought up to date after many writes, so that whoever asks them next does not wait long. The server would do
 * that by itself, but at once: beside a burst of work, and for states of jobs that are over a moment later. Thread-safe.
 */
public final class IndexWarmer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IndexWarmer.class);
    private static final int MANY = 1_000;
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final JobIndex index;
    private final Surroundings surroundings;
    private final ScheduledExecutorService thread;
    private long writes;
    private long firstNanos;
    private long lastNanos;
    private boolean planned;

    /**
     * Makes one for a process. No I/O.
     *
     * @param index what is asked for
     * @param surroundings whose clock and thread it uses
     */
    public IndexWarmer(JobIndex index, Surroundings surroundings) {
        this.index = index;
        this.surroundings = surroundings;
        this.thread = surroundings.threads("couchjobs-warmer", 1);
    }

    /**
     * Takes in that documents were written.
     *
     * @param documents how many
     */
    public synchronized void written(int documents) {
        lastNanos = surroundings.nanos();
        firstNanos = writes == 0 ? lastNanos : firstNanos;
        writes += documents;
        if (writes >= MANY && !planned && !thread.isShutdown()) {
            planned = true;
            var unused = thread.schedule(this::look, QUIET.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** A process that ends asks at once. */
    @Override
    public void close() {
        boolean due;
        synchronized (this) {
            due = writes >= MANY;
            writes = 0;
            thread.shutdownNow();
        }
        if (due) {
            warm();
        }
    }

    private void look() {
        synchronized (this) {
            long now = surroundings.nanos();
            long quiet = now - lastNanos;
            if (quiet < QUIET.toNanos() && now - firstNanos < LONGEST.toNanos()) {
                var unused = thread.schedule(this::look, QUIET.toNanos() - quiet, TimeUnit.NANOSECONDS);
                return;
            }
            planned = false;
            writes = 0;
        }
        warm();
    }

    private void warm() {
        try {
            index.warm();
        } catch (RuntimeException trouble) {
            log.debug("the indexes cannot be brought up to date now: {}", trouble.toString());
        }
    }
}
