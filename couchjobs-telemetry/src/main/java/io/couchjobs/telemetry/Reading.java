package io.couchjobs.telemetry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Numbers of a queue that a separate thread reads again when they are requested and too old. While they cannot be read, there are
 * no numbers; old ones are not shown. Thread-safe.
 */
final class Reading<T> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Reading.class);
    /** How long {@link #known} waits for a reading. Clients that read metrics give up soon, and get the numbers the next time. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String what;
    private final long every;
    private final Supplier<T> source;
    private final Consumer<@Nullable T> done;
    private volatile @Nullable T numbers;
    private @Nullable CompletableFuture<?> reading;
    private long readNanos;
    private volatile boolean isAway;
    private boolean closed;

    /**
     * Creates an instance that has read nothing yet.
     *
     * @param what describes the numbers in log messages
     * @param every how long numbers are used before they are read again
     * @param source reads the numbers
     * @param done receives the numbers, or null when they could not be read; not called after {@link #close}
     */
    Reading(String what, Duration every, Supplier<T> source, Consumer<@Nullable T> done) {
        this.what = what;
        this.every = every.toNanos();
        this.source = source;
        this.done = done;
    }

    /** Returns the numbers, after reading them again if they are too old. Only the caller that starts a reading waits for it. */
    @Nullable
    T known() {
        CompletableFuture<?> started = startIfOld();
        if (started != null) {
            try {
                started.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException e) {
                log.debug("{} is not known yet", what, e);
            }
        }
        return numbers;
    }

    private synchronized @Nullable CompletableFuture<?> startIfOld() {
        boolean goesOn = reading != null && (!reading.isDone() || System.nanoTime() - readNanos < every);
        if (closed || goesOn) {
            return null;
        }
        CompletableFuture<?> started = new CompletableFuture<>();
        reading = started;
        Thread thread = new Thread(() -> read(started), "couchjobs-metrics");
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    private void read(CompletableFuture<?> started) {
        try {
            done(source.get());
            isAway = false;
        } catch (RuntimeException | Error e) {
            Level level = isAway ? Level.DEBUG : Level.WARN;
            log.atLevel(level)
                    .log("{} cannot be read, and is read again when its numbers would be old: {}", what, e.toString());
            isAway = true;
            done(null);
        } finally {
            started.complete(null);
        }
    }

    private synchronized void done(@Nullable T read) {
        readNanos = System.nanoTime();
        numbers = read;
        if (!closed) {
            done.accept(read);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
