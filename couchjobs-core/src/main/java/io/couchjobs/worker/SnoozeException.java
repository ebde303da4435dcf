package io.couchjobs.worker;

import java.time.Duration;

/**
 * Thrown by a handler that cannot work now and has not failed: the job waits, and this run does not count as one. For a service
 * that says "come back in a minute".
 */
public final class SnoozeException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final Duration delay;

    /**
     * Puts the job off.
     *
     * @param delay how long from now; zero or more
     * @throws IllegalArgumentException when the delay is negative, or longer than a hundred years
     */
    public SnoozeException(Duration delay) {
        super("put off for " + delay, null, false, false);
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a snooze must be from 0 to 36500 days: " + delay);
        }
        this.delay = delay;
    }

    /** {@return how long from now} */
    public Duration delay() {
        return delay;
    }
}
