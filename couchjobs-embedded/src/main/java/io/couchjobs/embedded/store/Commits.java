package io.couchjobs.embedded.store;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.h2.mvstore.MVStore;

/**
 * Makes changes durable, many writers at a time. A writer that finds a commit under way waits for the next one, which then holds
 * the changes of all waiting writers. A change touches several maps; the shared lock keeps a commit from catching it half done.
 * Thread-safe.
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

    /** Applies a change and returns when it is on disk. */
    <T> T durably(Supplier<T> change) {
        T result = apply(change);
        flush();
        return result;
    }

    /** Applies a change that may be lost in a crash, but only whole. */
    <T> T apply(Supplier<T> change) {
        changes.readLock().lock();
        try {
            applied.incrementAndGet(); // first: whoever sees a part of the change must not take it for committed
            return change.get();
        } finally {
            changes.readLock().unlock();
        }
    }

    /** Returns when all changes are on disk of which the caller could have seen anything. */
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
