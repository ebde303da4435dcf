package io.couchjobs.embedded.store;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The number of the newest change that is on disk, and a way to wait for a newer one. Thread-safe. */
final class Pulse {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition moved = lock.newCondition();
    private long value;
    private boolean closed;

    Pulse(long value) {
        this.value = value;
    }

    void moveTo(long newer) {
        lock.lock();
        try {
            value = Math.max(value, newer);
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean hasReached(long number) {
        lock.lock();
        try {
            return value >= number;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            moved.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something newer, the time is over, or the database is closed. */
    boolean awaitAfter(long seen, long millis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lock();
        try {
            while (value <= seen && !closed && left > 0) {
                left = moved.awaitNanos(left);
            }
            return value > seen;
        } finally {
            lock.unlock();
        }
    }
}
