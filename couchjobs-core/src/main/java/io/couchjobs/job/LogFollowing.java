package io.couchjobs.job;

import java.time.Duration;

/** Follows a log until it is closed; the lines that were not told by then never are. Thread-safe. */
public interface LogFollowing extends Listening {
    /**
     * Tells the listener all that is in the log by now, and ends the following. The lines of a job are in its log before its
     * end is, so a caller that saw the end gets the whole log.
     *
     * @param longest how long to wait for the listener and the database at most
     * @return whether all was told
     * @throws InterruptedException when interrupted while waiting
     */
    boolean finish(Duration longest) throws InterruptedException;
}
