package io.couchjobs.peers;

import java.sql.SQLException;

/** A queue whose jobs do nothing. It is empty at first. Not thread-safe, except for {@link #add}. */
interface Peer extends AutoCloseable {
    /** Adds jobs in bulk. */
    void addAll(int jobs) throws Exception;

    /** Adds one job. Thread-safe. */
    void add() throws Exception;

    /**
     * Starts running jobs, and returns.
     *
     * @param places how many jobs run at once
     * @param onRun called by each run
     */
    void start(int places, Runnable onRun) throws Exception;

    /** Returns whether the ends of so many runs are stored. */
    boolean haveEnded(int runs) throws Exception;

    /** Stops running jobs, and deletes everything that the peer stored. */
    @Override
    void close() throws SQLException;
}
