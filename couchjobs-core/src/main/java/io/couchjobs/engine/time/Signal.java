package io.couchjobs.engine.time;

import java.util.concurrent.TimeUnit;

/** Wakes one waiting thread; a signal that comes before the waiting is not lost. Thread-safe. */
public final class Signal {
    private boolean given;

    public synchronized void give() {
        given = true;
        notifyAll();
    }

    /** Waits for a signal, or as long, and uses the signal up. */
    public synchronized void await(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (!given && deadline - System.nanoTime() > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, deadline - System.nanoTime());
        }
        given = false;
    }
}
