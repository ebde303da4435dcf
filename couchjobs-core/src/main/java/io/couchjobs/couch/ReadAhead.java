package io.couchjobs.couch;

import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * A queue between the thread that reads a feed and the thread that consumes its rows. Its capacity is limited in items and in
 * bytes; an item that exceeds the capacity in bytes is queued alone. Supports one producer thread and one consumer thread.
 * Both wait by the {@link Environment}, so that a simulation can control time; the queues of the JDK do not support that.
 */
final class ReadAhead<T> {
    private final Environment environment;
    private final Signal added;
    private final Signal taken;
    private final int mostItems;
    private final int mostBytes;
    // The fields below are guarded by this object.
    private final Queue<Entry<T>> entries = new ArrayDeque<>();
    private int bytes;
    private boolean closed;

    private record Entry<T>(T item, int bytes) {}

    ReadAhead(Environment environment, int mostItems, int mostBytes) {
        this.environment = environment;
        this.added = new Signal(environment);
        this.taken = new Signal(environment);
        this.mostItems = mostItems;
        this.mostBytes = mostBytes;
    }

    /** Waits for room and adds an item; returns false when the queue was closed. */
    boolean put(T item, int size) throws InterruptedException {
        while (true) {
            synchronized (this) {
                if (closed) {
                    return false;
                }
                if (hasRoom(size)) {
                    entries.add(new Entry<>(item, size));
                    bytes += size;
                    added.give();
                    return true;
                }
            }
            boolean unused = taken.await(Environment.FOREVER);
        }
    }

    /** Removes the first item, waiting if necessary; empty when no item came in time, or the queue was closed. */
    Optional<T> poll(Duration atMost) throws InterruptedException {
        Deadline deadline = Deadline.after(environment, atMost);
        while (true) {
            synchronized (this) {
                Entry<T> first = entries.poll();
                if (first != null) {
                    bytes -= first.bytes;
                    taken.give();
                    return Optional.of(first.item);
                }
                if (closed) {
                    return Optional.empty();
                }
            }
            if (!added.await(deadline.left())) {
                return Optional.empty();
            }
        }
    }

    /** Discards all items, and releases waiting threads. */
    synchronized void close() {
        closed = true;
        entries.clear();
        added.give();
        taken.give();
    }

    private boolean hasRoom(int size) {
        return entries.isEmpty() || (entries.size() < mostItems && bytes + size <= mostBytes);
    }
}
