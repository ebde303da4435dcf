package io.couchjobs.job;

/** What listens to a queue until it is closed; a call of the listener that is under way goes on. Thread-safe. */
@FunctionalInterface
public interface Listening extends AutoCloseable {
    /** Ends the listening. Idempotent; never throws. */
    @Override
    void close();
}
