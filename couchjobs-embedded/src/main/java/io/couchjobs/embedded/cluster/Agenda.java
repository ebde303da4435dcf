package io.couchjobs.embedded.cluster;

/** A clock and the tasks that are due at times; one task at a time, all on one thread. */
public interface Agenda {
    /** {@return microseconds since some fixed moment} */
    long now();

    /** Does something later; tasks that are due at the same time are done in the order of the calls. */
    void after(long micros, Runnable task);
}
