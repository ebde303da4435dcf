package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Runs the tasks of one part of a queue in the background, at most so many at a time, in the order in which they become
 * due. A closed lane ignores new tasks. Thread-safe.
 */
public interface Lane extends Executor, AutoCloseable {
    /** Runs a task as soon as the lane has room for it. */
    @Override
    default void execute(Runnable task) {
        schedule(Duration.ZERO, task);
    }

    /**
     * Runs a task later; at once when the pause is zero or less.
     *
     * @param task throws nothing; an exception is logged
     * @return cancels the task
     */
    Planned schedule(Duration pause, Runnable task);

    /** Takes no more tasks and drops those that are not due yet. Due tasks still run. */
    void finish();

    /** Takes no more tasks, drops all that have not begun, and interrupts those that run. */
    @Override
    void close();

    /** {@return whether {@link #finish} or {@link #close} was called} */
    boolean isClosed();

    /**
     * Waits until a closed lane runs nothing any more.
     *
     * @return false when tasks still run
     */
    boolean awaitEnd(Duration longest) throws InterruptedException;

    /** A task that waits for its time. */
    interface Planned {
        /** Does not run the task, unless it has begun. */
        void cancel();

        /** {@return how long it still waits for its time; zero once it is due} */
        Duration left();
    }
}
