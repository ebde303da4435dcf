package io.couchjobs.embedded.store;

import java.util.concurrent.TimeUnit;

/** The sequence number of the newest change that is on disk. Readers can wait for a newer one. Thread-safe. */
final class Pulse {
    private long value;
    private boolean closed;

    Pulse(long value) {
        this.value = value;
    }

    synchronized void moveTo(long newer) {
        value = Math.max(value, newer);
        notifyAll();
    }

    synchronized boolean hasReached(long number) {
        return value >= number;
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    synchronized boolean isClosed() {
        return closed;
    }

    /** Waits for a newer change, until the time is over or the database is closed. Returns whether there is one. */
    synchronized boolean awaitAfter(long seen, long millis) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (value <= seen && !closed && end - System.nanoTime() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
        }
        return value > seen;
    }
}
