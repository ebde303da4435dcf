package io.couchjobs.embedded.store;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;

/**
 * Makes the changes of concurrent writers durable. A writer that finds a commit in progress waits for the next commit, which then
 * contains the changes of all waiting writers. A change modifies several maps; a shared lock prevents a commit in the middle of a
 * change. Thread-safe.
 */
final class Commits {
    private final MVStore store;
    private final boolean persistent;
    private final ReadWriteLock changes = new ReentrantReadWriteLock();
    private final AtomicLong applied = new AtomicLong();
    private final Object committing = new Object();
    private long committed;

    Commits(MVStore store, boolean persistent) {
        this.store = store;
        this.persistent = persistent;
    }

    /** Applies a change, and returns when it is on disk. */
    <T> T durably(Supplier<T> change) {
        T result = apply(change);
        flush();
        return result;
    }

    /** Applies a change atomically. A crash before the next commit may lose the change. */
    <T> T apply(Supplier<T> change) {
        changes.readLock().lock();
        try {
            applied.incrementAndGet(); // before the change: a reader that sees a part of it must not take it for
            // committed
            return change.get();
        } finally {
            changes.readLock().unlock();
        }
    }

    /** Returns when all changes that the caller could have seen are on disk. */
    void flush() {
        if (!persistent) {
            return;
        }
        long mine = applied.get();
        synchronized (committing) {
            if (committed < mine) {
                long reached = commit();
                store.sync();
                committed = reached;
            }
        }
    }

    private long commit() {
        changes.writeLock().lock();
        try {
            store.commit();
            return applied.get();
        } finally {
            changes.writeLock().unlock();
        }
    }
}
