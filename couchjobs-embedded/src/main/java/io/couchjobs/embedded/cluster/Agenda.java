package io.couchjobs.embedded.cluster;

/** A clock, and what is to be done when; one thing at a time, all on one thread. */
public interface Agenda {
    /** {@return microseconds since some fixed moment} */
    long now();

    /** Does something later; what is due at the same time is done in the order in which it was asked for. */
    void after(long micros, Runnable task);
}
