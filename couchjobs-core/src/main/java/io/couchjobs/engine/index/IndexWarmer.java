package io.couchjobs.engine.index;

import io.couchjobs.couch.DatabaseInfo;
import io.couchjobs.engine.store.BulkListener;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the indexes updated after many writes, so that the next query does not wait long. The server would update them by
 * itself, but at once: beside a burst of work, and for states of jobs that are over a moment later. The update is put
 * off while this process goes on writing, or others write much, but not for longer than half a minute. Thread-safe.
 */
public final class IndexWarmer implements BulkListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IndexWarmer.class);
    private static final int MANY = 1_000;
    private static final Duration QUIET = Duration.ofSeconds(5);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    /** So many changes of others between two looks are a burst of work. */
    private static final int BUSY = 100;

    private static final Duration GLANCE = Duration.ofSeconds(1);

    private final Runnable warm;
    private final Supplier<DatabaseInfo> database;
    private final Environment environment;
    private final Lane lane;
    private int underWay;
    private long writes;
    private long firstNanos;
    private long lastNanos;
    private boolean planned;

    /**
     * No I/O.
     *
     * @param warm requests the update, and does not wait for it
     * @param database reads the database's numbers, which tell how many changes others made; on a cluster they do not
     */
    public IndexWarmer(Runnable warm, Supplier<DatabaseInfo> database, Environment environment) {
        this.warm = warm;
        this.database = database;
        this.environment = environment;
        this.lane = environment.lane("couchjobs-warmer", 1);
    }

    @Override
    public synchronized void begins() {
        underWay++;
    }

    @Override
    public synchronized void ends(int documents) {
        underWay--;
        lastNanos = environment.nanos();
        firstNanos = writes == 0 ? lastNanos : firstNanos;
        writes += documents;
        if (writes >= MANY && !planned && !lane.isClosed()) {
            plan(this::look, QUIET);
        }
    }

    /** A process that ends requests the update at once. */
    @Override
    public void close() {
        boolean due;
        synchronized (this) {
            due = writes >= MANY;
            writes = 0;
            lane.close();
        }
        if (due) {
            warm();
        }
    }

    private void look() {
        Duration quiet = quiet();
        if (isLate()) {
            warmNow();
        } else if (quiet.compareTo(QUIET) < 0) {
            plan(this::look, QUIET.minus(quiet));
        } else {
            long before = changes();
            plan(() -> lookAround(before), GLANCE);
        }
    }

    private void lookAround(long before) {
        boolean isBusy = changes() - before >= BUSY;
        if (isLate() || !(isBusy || quiet().compareTo(QUIET) < 0)) {
            warmNow();
        } else {
            plan(this::look, QUIET);
        }
    }

    private synchronized void plan(Runnable task, Duration pause) {
        planned = !lane.isClosed();
        if (planned) {
            lane.schedule(pause, task);
        }
    }

    private synchronized Duration quiet() {
        return underWay > 0 ? Duration.ZERO : Duration.ofNanos(environment.nanos() - lastNanos);
    }

    private synchronized boolean isLate() {
        return environment.nanos() - firstNanos >= LONGEST.toNanos();
    }

    private long changes() {
        try {
            DatabaseInfo info = database.get();
            return info.copies() == 1 ? info.changes() : 0;
        } catch (RuntimeException trouble) {
            log.debug("whether others write cannot be told now: {}", trouble.toString());
            return 0;
        }
    }

    private void warmNow() {
        synchronized (this) {
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
