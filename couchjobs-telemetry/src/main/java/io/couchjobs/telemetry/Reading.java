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
 * Numbers of a queue that a separate thread reads anew when somebody asks for them and they are too old. While they cannot be read there
 * are none, rather than old ones. Thread-safe.
 */
final class Reading<T> implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Reading.class);
    /** A client that asks for metrics gives up soon; then the numbers are there the next time. */
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
     * Reads nothing yet.
     *
     * @param what is read, in words
     * @param every how long numbers are good for
     * @param source reads them
     * @param done is told of them, or null when they could not be read; never after {@link #close}
     */
    Reading(String what, Duration every, Supplier<T> source, Consumer<@Nullable T> done) {
        this.what = what;
        this.every = every.toNanos();
        this.source = source;
        this.done = done;
    }

    /** The numbers, read anew if need be. Only the caller that starts the reading waits for it. */
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
