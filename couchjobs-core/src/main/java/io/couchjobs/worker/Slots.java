package io.couchjobs.worker;

/** How many runs may go on at once, which can change while they do. Thread-safe. */
final class Slots {
    private int limit;
    private int used;

    Slots(int limit) {
        this.limit = limit;
    }

    /** Waits until a slot or a place beside them is free; returns how many slots are. */
    synchronized int awaitRoom(Places places) throws InterruptedException {
        while (limit <= used && places.free() <= 0) {
            wait();
        }
        return Math.max(0, limit - used);
    }

    synchronized boolean tryTake() {
        if (used >= limit) {
            return false;
        }
        used++;
        return true;
    }

    synchronized void release() {
        used--;
        notifyAll();
    }

    synchronized void resize(int newLimit) {
        limit = newLimit;
        notifyAll();
    }

    synchronized int limit() {
        return limit;
    }

    synchronized void awaitIdle() throws InterruptedException {
        while (used > 0) {
            wait();
        }
    }

    /** Somebody who waits is to look again. */
    synchronized void changed() {
        notifyAll();
    }

    /** Places beside the slots, where jobs wait for one. */
    @FunctionalInterface
    interface Places {
        int free();
    }
}
