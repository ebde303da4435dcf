package io.couchjobs.job;

/**
 * A listener's registration with a queue, until it is closed; a call of the listener under way goes on. Thread-safe.
 */
@FunctionalInterface
public interface Listening extends AutoCloseable {
    /** Ends the listening. Idempotent; never throws. */
    @Override
    void close();
}
