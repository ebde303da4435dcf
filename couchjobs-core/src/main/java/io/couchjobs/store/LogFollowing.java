package io.couchjobs.store;

import java.time.Duration;

/** A log that is followed: ends when it is closed. Thread-safe. */
public interface LogFollowing extends AutoCloseable {
    /**
     * Tells the listener all that is in the log by now, and ends the following. The lines of a job are in its log before its
     * end is, so who saw the end and calls this has the whole log.
     *
     * @param longest how long to wait for the listener and the database at most
     * @return whether all was told
     * @throws InterruptedException when interrupted while waiting
     */
    boolean finish(Duration longest) throws InterruptedException;

    /** Ends the following; what was not told yet never is. A call of the listener in progress goes on. Idempotent. */
    @Override
    void close();
}
