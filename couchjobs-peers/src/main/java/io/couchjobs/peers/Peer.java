package io.couchjobs.peers;

import java.sql.SQLException;

/** A queue whose jobs do nothing. It begins empty. One thread uses it, but for {@link #add}. */
interface Peer extends AutoCloseable {
    /** Adds jobs in bulk. */
    void addAll(int jobs) throws Exception;

    /** Adds one job. Thread-safe. */
    void add() throws Exception;

    /**
     * Begins to run jobs, and returns.
     *
     * @param places how many jobs run at once
     * @param onRun to be called by each run
     */
    void start(int places, Runnable onRun) throws Exception;

    /** Whether it is stored how so many runs have ended. */
    boolean haveEnded(int runs) throws Exception;

    /** Stops to run jobs, and deletes all that it stored. */
    @Override
    void close() throws SQLException;
}
