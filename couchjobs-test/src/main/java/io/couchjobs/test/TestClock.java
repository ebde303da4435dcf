package io.couchjobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A time of day that stands still until a test moves it. Thread-safe. */
public final class TestClock implements InstantSource {
    private volatile Instant now;

    /**
     * Starts at a time.
     *
     * @param start the time; cut to milliseconds, as jobs keep it
     */
    public TestClock(Instant start) {
        this.now = Instant.ofEpochMilli(start.toEpochMilli());
    }

    @Override
    public Instant instant() {
        return now;
    }

    /**
     * Lets time pass.
     *
     * @param time how much; back is allowed too
     * @return the time it is now
     */
    public synchronized Instant advance(Duration time) {
        now = now.plus(time);
        return now;
    }

    /**
     * Sets the time.
     *
     * @param time the time; cut to milliseconds
     */
    public synchronized void set(Instant time) {
        now = Instant.ofEpochMilli(time.toEpochMilli());
    }

    @Override
    public String toString() {
        return "TestClock[" + now + "]";
    }
}
