package io.couchjobs.engine.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The only source of threads, pauses, elapsed time and random numbers. A simulation replaces it, so that its runs can be
 * repeated. Thread-safe.
 */
public interface Environment {
    /** This machine's clock, random numbers and threads. */
    Environment REAL = new RealEnvironment();

    /** A hundred years; more does not fit the clock. */
    Duration FOREVER = Duration.ofDays(36_500);

    /** {@return the duration, but at most {@link #FOREVER}} */
    static Duration bounded(Duration duration) {
        return shorter(duration, FOREVER);
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Makes a pause. An interrupted thread keeps its interrupt for later.
     *
     * @return whether the pause is over; false when the thread was interrupted, whose flag stays set
     */
    static boolean pauseUnlessInterrupted(Environment environment, Duration duration) {
        try {
            environment.pause(duration);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** {@return nanoseconds on a monotonic clock with an arbitrary origin} */
    long nanos();

    /** {@return the time of day of this machine} */
    Instant instant();

    void pause(Duration duration) throws InterruptedException;

    /** {@return the source of random numbers, for immediate use by the calling thread} */
    Random random();

    UUID uuid();

    /**
     * Opens a lane for background tasks.
     *
     * @param name the name of the threads while they run the lane's tasks
     * @param most the most tasks of the lane that run at a time
     * @return the lane, to be closed at the end unless its last tasks must run: a lane without tasks costs nothing
     */
    Lane lane(String name, int most);

    /**
     * Makes a thread for a loop that blocks all the time. All other work belongs in a {@linkplain #lane lane}.
     *
     * @return a daemon thread that is not started
     */
    Thread thread(String name, Runnable loop);

    /**
     * Starts a run of a handler in a daemon thread. The thread is virtual if the JVM has virtual threads. Otherwise it is
     * new, or a reused thread that is like a new one.
     */
    void startRun(String name, ClassLoader loader, Runnable run);

    /**
     * Waits for the work of another thread.
     *
     * @return the outcome; throws as {@link CompletableFuture#join} does
     */
    <T> T join(CompletableFuture<T> future);

    /**
     * Waits for the work of another thread, for a limited time.
     *
     * @return whether the work is done, with an outcome or a failure
     */
    boolean await(CompletableFuture<?> future, Duration longest) throws InterruptedException;
}
