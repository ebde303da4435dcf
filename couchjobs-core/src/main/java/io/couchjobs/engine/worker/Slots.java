package io.couchjobs.engine.worker;

import java.util.function.IntSupplier;

/**
 * The slots of a worker, which limit how many runs go on at once. The limit may change at any time. A claim under way takes a
 * slot, then the run of the claimed job keeps it until the handler is done. While the end of one run is being written, the next
 * job may be claimed. Thread-safe.
 */
final class Slots {
    /** The part of all slots (a quarter) that must be free for a second claim while one is under way. */
    private static final int WORTHWHILE_PART = 4;

    /** The least number of slots that must be free for a second claim while one is under way. */
    private static final int WORTHWHILE = 16;

    private static final int MOST_CLAIMS = 2;

    private int limit;
    private int running;
    private int ending;
    private int claims;
    private int claiming;
    /** The number of changes that a waiting thread may be interested in. */
    private long changes;

    Slots(int limit) {
        this.limit = limit;
    }

    /**
     * Waits until a slot is free, or until a job may be claimed ahead. While a claim is under way, waits until enough slots are
     * free to be worth another request.
     *
     * @param places how many more jobs may be claimed ahead; called without the lock of this object, because the owner of these
     *     places takes slots under its own lock
     * @return how many slots are free
     */
    int awaitRoom(IntSupplier places) throws InterruptedException {
        while (true) {
            long seen;
            boolean isClaiming;
            synchronized (this) {
                if (isWorthAClaim()) {
                    return free();
                }
                seen = changes;
                isClaiming = claims > 0;
            }
            if (!isClaiming && places.getAsInt() > 0) {
                return freeNow();
            }
            awaitChange(seen);
        }
    }

    private synchronized int freeNow() {
        return Math.max(0, free());
    }

    private synchronized void awaitChange(long seen) throws InterruptedException {
        while (changes == seen) {
            wait();
        }
    }

    /** Records that a claim of the given number of jobs is under way. */
    synchronized void claim(int jobs) {
        claims++;
        claiming += jobs;
    }

    /** Records that the claim was answered. The runs of the claimed jobs have taken their slots. */
    synchronized void claimed(int jobs) {
        claims--;
        claiming -= jobs;
        changed();
    }

    /** Waits until no claim is under way. */
    synchronized void awaitClaims() throws InterruptedException {
        while (claims > 0) {
            wait();
        }
    }

    synchronized int claiming() {
        return claiming;
    }

    synchronized boolean tryTake() {
        if (running >= limit) {
            return false;
        }
        running++;
        return true;
    }

    /** Takes a slot even if none is free. */
    synchronized void takeOneMore() {
        running++;
    }

    /** Records that a handler is done and the end of its run is about to be written. */
    synchronized void handlerDone() {
        running--;
        ending++;
        changed();
    }

    /** Records that the end of a run is written. */
    synchronized void ended() {
        ending--;
        changed();
    }

    /** Frees the slot of a run that ended without {@link #handlerDone}. */
    synchronized void release() {
        running--;
        changed();
    }

    synchronized void resize(int newLimit) {
        limit = newLimit;
        changed();
    }

    synchronized int limit() {
        return limit;
    }

    /**
     * Waits until no run goes on, no claim is under way and no run waits for a slot.
     *
     * @param waiting how many runs wait; read first and without the lock, because a run that stops waiting has already taken
     *     its slot
     */
    void awaitIdle(IntSupplier waiting) throws InterruptedException {
        while (true) {
            long seen = changes();
            boolean noneWaits = waiting.getAsInt() == 0;
            synchronized (this) {
                if (noneWaits && changes == seen && running + ending + claims == 0) {
                    return;
                }
            }
            awaitChange(seen);
        }
    }

    private synchronized long changes() {
        return changes;
    }

    /** Wakes all waiting threads to check again. */
    synchronized void changed() {
        changes++;
        notifyAll();
    }

    private boolean isWorthAClaim() {
        int least = claims == 0 ? 1 : Math.max(WORTHWHILE, limit / WORTHWHILE_PART);
        return claims < MOST_CLAIMS && free() >= least;
    }

    /**
     * {@return how many slots are free} No slot is free while more ends than slots wait to be stored. With a single slot, the
     * next run waits until the end before it is stored.
     */
    private int free() {
        int mostEnding = limit > 1 ? limit : 0;
        return ending > mostEnding ? 0 : limit - running - claiming;
    }
}
