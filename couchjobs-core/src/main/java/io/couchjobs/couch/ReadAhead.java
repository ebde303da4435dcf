package io.couchjobs.couch;

import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/**
 * A short queue between the thread that reads a feed and the one that uses its rows: of few items and of few bytes. An
 * item that is larger than all of the room comes alone. One thread puts, and one thread takes. Both wait by the {@link
 * Environment}, so that a simulation can let its own time pass; the queues of the JDK cannot do that.
 */
final class ReadAhead<T> {
    private final Environment environment;
    private final Signal added;
    private final Signal taken;
    private final int mostItems;
    private final int mostBytes;
    // From here on guarded by the object itself.
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

    /** Adds an item when there is room; false when this was closed instead. */
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

    /** Takes the first item, and waits for it if need be; empty when none came in time, or this was closed. */
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

    /** Forgets all items, and ends all waiting. */
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
