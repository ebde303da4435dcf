package io.couchjobs.engine.time;

import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Runs the tasks of one part of a queue in the background, in the order in which they become due. The number of tasks that
 * run at a time is limited. A closed lane ignores new tasks. Thread-safe.
 */
public interface Lane extends Executor, AutoCloseable {
    /** Runs a task as soon as the lane has room for it. */
    @Override
    default void execute(Runnable task) {
        schedule(Duration.ZERO, task);
    }

    /**
     * Runs a task later, or at once when the pause is zero or less.
     *
     * @param task throws nothing; an exception is logged
     * @return a handle that cancels the task
     */
    Planned schedule(Duration pause, Runnable task);

    /** Takes no more tasks, and drops the tasks that are not due yet. Due tasks still run. */
    void finish();

    /** Takes no more tasks, drops all tasks that have not begun, and interrupts the running ones. */
    @Override
    void close();

    /** {@return whether {@link #finish} or {@link #close} was called} */
    boolean isClosed();

    /**
     * Waits until a closed lane runs nothing any more.
     *
     * @return whether the lane runs nothing; false when tasks still run after the longest wait
     */
    boolean awaitEnd(Duration longest) throws InterruptedException;

    /** A task that waits for its time. */
    interface Planned {
        /** Cancels the task unless it has begun. */
        void cancel();

        /** {@return how long the task still waits for its time; zero once it is due} */
        Duration left();
    }
}
