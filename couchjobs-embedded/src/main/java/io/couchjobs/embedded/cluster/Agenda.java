package io.couchjobs.embedded.cluster;

/** A clock with scheduled tasks. Runs one task at a time, all on one thread. */
public interface Agenda {
    /** {@return the microseconds since a fixed moment} */
    long now();

    /** Schedules a task. Tasks that are due at the same time run in the order of the calls. */
    void after(long micros, Runnable task);
}
