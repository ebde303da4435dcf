package io.couchjobs.interleavings;

import io.couchjobs.testing.Proxy;
import io.couchjobs.testing.TestQueue;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Where the requests of one player about jobs wait for their turn. Thread-safe. */
final class Gate implements Proxy.Detour {
    private boolean closed;
    private boolean ended;
    private boolean monitors;
    private Proxy.@Nullable Request waiting;

    /** From now on requests wait, and the player is playing. */
    synchronized void close() {
        closed = true;
        ended = false;
    }

    /** From now on requests pass. */
    public synchronized void open() {
        closed = false;
        letPass();
    }

    /** The player has played. */
    synchronized void ended() {
        ended = true;
        notifyAll();
    }

    /** Whether the player is a monitor now. Else it is the one in the background that asks what is owned, and that is no move. */
    synchronized void monitors(boolean now) {
        monitors = now;
    }

    /** Lets the waiting request pass, and only that one. */
    synchronized void letPass() {
        waiting = null;
        notifyAll();
    }

    /** Waits until the player waits here or has ended; returns what waits. */
    synchronized Optional<Proxy.Request> settled(String player) throws InterruptedException {
        long deadline = System.nanoTime() + TestQueue.PATIENCE.toNanos();
        while (waiting == null && !ended) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(player + " neither asked nor ended within " + TestQueue.PATIENCE);
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return Optional.ofNullable(waiting);
    }

    @Override
    public synchronized boolean goes(Proxy.Request request) throws InterruptedException {
        if (closed && isAboutJobs(request) && (monitors || !asksWhatIsOwned(request))) {
            waiting = request;
            notifyAll();
            while (waiting != null && waiting.number() == request.number()) {
                wait();
            }
        }
        return true;
    }

    @Override
    public void end() {
        open();
    }

    static boolean asksWhatIsOwned(Proxy.Request request) {
        return request.uri().getPath().endsWith("/_view/owned");
    }

    private static boolean isAboutJobs(Proxy.Request request) {
        String path = request.uri().getPath();
        return path.contains("/job:") || path.contains("/_view/") || request.isBulkWrite() || request.isLookup();
    }
}
