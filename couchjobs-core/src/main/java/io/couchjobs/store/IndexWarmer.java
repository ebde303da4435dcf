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
public final class IndexWarmer implements WriteCombiner.Requests, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IndexWarmer.class);
    private static final int MANY = 1_000;
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Runnable warm;
    private final Surroundings surroundings;
    private final ScheduledExecutorService thread;
    private int underWay;
    private long writes;
    private long firstNanos;
    private long lastNanos;
    private boolean planned;

    /**
     * Makes one for a process. No I/O.
     *
     * @param warm asks for what must be up to date, and does not wait for it
     * @param surroundings whose clock and thread it uses
     */
    public IndexWarmer(Runnable warm, Surroundings surroundings) {
        this.warm = warm;
        this.surroundings = surroundings;
        this.thread = surroundings.threads("couchjobs-warmer", 1);
    }

    @Override
    public synchronized void begins() {
        underWay++;
    }

    @Override
    public synchronized void ends(int documents) {
        underWay--;
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
            long quiet = underWay > 0 ? 0 : now - lastNanos;
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
            warm.run();
        } catch (RuntimeException trouble) {
            log.debug("the indexes cannot be brought up to date now: {}", trouble.toString());
        }
    }
}
