package io.couchjobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until a test moves it. Thread-safe. */
public final class TestClock implements InstantSource {
    private volatile Instant now;

    /**
     * Creates a clock that shows a time.
     *
     * @param start the time; rounded down to milliseconds, as in jobs
     */
    public TestClock(Instant start) {
        this.now = Instant.ofEpochMilli(start.toEpochMilli());
    }

    @Override
    public Instant instant() {
        return now;
    }

    /**
     * Moves the clock.
     *
     * @param time by how much; a negative duration moves the clock back
     * @return the new time
     */
    public synchronized Instant advance(Duration time) {
        now = now.plus(time);
        return now;
    }

    /**
     * Sets the time.
     *
     * @param time the time; rounded down to milliseconds
     */
    public synchronized void set(Instant time) {
        now = Instant.ofEpochMilli(time.toEpochMilli());
    }

    @Override
    public String toString() {
        return "TestClock[" + now + "]";
    }
}
