package io.couchjobs.engine.worker;

import java.util.function.IntSupplier;

/**
 * How many runs may go on at once, which can change while they do. A slot is taken by a claim under way, then by the run of its
 * job until the handler is done: while the end of one run is being written, the next may be claimed. Thread-safe.
 */
final class Slots {
    /** Beside a claim under way, another one needs this part of all slots (a quarter) to be free, */
    private static final int WORTHWHILE_PART = 4;

    /** and at least this number of slots. */
    private static final int WORTHWHILE = 16;

    private static final int MOST_CLAIMS = 2;

    private int limit;
    private int running;
    private int ending;
    private int claims;
    private int claiming;
    /** How often something changed that somebody may wait for. */
    private long changes;

    Slots(int limit) {
        this.limit = limit;
    }

    /**
     * Waits until a slot is free, or until a job may be claimed ahead. While a claim is under way, waits until enough slots are
     * free to be worth another request.
     *
     * @param places how many more jobs may be claimed ahead; called without the lock of this object, because the owner of these
     *     places takes slots under a lock of its own
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

    /** A claim of so many jobs is under way. */
    synchronized void claim(int jobs) {
        claims++;
        claiming += jobs;
    }

    /** It was answered; the jobs that were won have taken their slots. */
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

    /** Takes a slot though none may be free. */
    synchronized void takeOneMore() {
        running++;
    }

    /** The handler is done, and how the run ended is about to be written. */
    synchronized void handlerDone() {
        running--;
        ending++;
        changed();
    }

    /** How the run ended is written. */
    synchronized void ended() {
        ending--;
        changed();
    }

    /** The run came to nothing. */
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
     * Waits until no run goes on, none is being claimed and none waits for a slot.
     *
     * @param waiting how many runs wait; read first and without a lock, because a run that waits no more has taken its slot by then
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

    /** Somebody who waits is to look again. */
    synchronized void changed() {
        changes++;
        notifyAll();
    }

    private boolean isWorthAClaim() {
        int least = claims == 0 ? 1 : Math.max(WORTHWHILE, limit / WORTHWHILE_PART);
        return claims < MOST_CLAIMS && free() >= least;
    }

    /** No slot is free while more ends than slots wait to be stored. With one slot, the next run waits until each end is stored. */
    private int free() {
        int mostEnding = limit > 1 ? limit : 0;
        return ending > mostEnding ? 0 : limit - running - claiming;
    }
}
