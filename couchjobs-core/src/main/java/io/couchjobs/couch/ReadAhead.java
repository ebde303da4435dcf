package io.couchjobs.couch;

import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A short queue between the thread that reads a feed and the one that uses its rows: of few items and of few bytes. An
 * item that is larger than all of the room comes alone. One thread puts, and one thread takes. Both wait by the {@link
 * Environment}, so that a simulation can let its own time pass; the queues of the JDK cannot do that.
 */
final class ReadAhead<T> {
    private final Environment environment;
    private final int mostItems;
    private final int mostBytes;
    // From here on guarded by the object itself.
    private final Queue<Entry<T>> entries = new ArrayDeque<>();
    private int bytes;
    private boolean closed;
    /** Done with the next change; null while nobody waits for one. */
    private @Nullable CompletableFuture<Void> change;

    private record Entry<T>(T item, int bytes) {}

    ReadAhead(Environment environment, int mostItems, int mostBytes) {
        this.environment = environment;
        this.mostItems = mostItems;
        this.mostBytes = mostBytes;
    }

    /** Adds an item when there is room; false when this was closed instead. */
    boolean put(T item, int size) throws InterruptedException {
        while (true) {
            CompletableFuture<Void> taken;
            synchronized (this) {
                if (closed) {
                    return false;
                }
                if (hasRoom(size)) {
                    entries.add(new Entry<>(item, size));
                    bytes += size;
                    changed();
                    return true;
                }
                taken = nextChange();
            }
            boolean unused = environment.await(taken, Environment.FOREVER);
        }
    }

    /** Takes the first item, and waits for it if need be; empty when none came in time, or this was closed. */
    Optional<T> poll(Duration atMost) throws InterruptedException {
        long until = environment.nanos() + Environment.bounded(atMost).toNanos();
        while (true) {
            CompletableFuture<Void> added;
            synchronized (this) {
                Entry<T> first = entries.poll();
                if (first != null) {
                    bytes -= first.bytes;
                    changed();
                    return Optional.of(first.item);
                }
                if (closed) {
                    return Optional.empty();
                }
                added = nextChange();
            }
            if (!environment.await(added, Duration.ofNanos(until - environment.nanos()))) {
                return Optional.empty();
            }
        }
    }

    /** Forgets all items, and ends all waiting. */
    synchronized void close() {
        closed = true;
        entries.clear();
        changed();
    }

    private boolean hasRoom(int size) {
        return entries.isEmpty() || (entries.size() < mostItems && bytes + size <= mostBytes);
    }

    private CompletableFuture<Void> nextChange() {
        if (change == null) {
            change = new CompletableFuture<>();
        }
        return change;
    }

    /** Nothing depends on the future but the thread that waits for it. */
    private void changed() {
        if (change != null) {
            change.complete(null);
            change = null;
        }
    }
}
