package io.couchjobs.worker;

import java.time.Duration;

/**
 * Thrown by a handler that cannot run the job now, without a failure. The job waits, and this run does not count as an attempt. For
 * example, a remote service asks to be called again in a minute.
 */
public final class SnoozeException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final Duration delay;

    /**
     * Creates the exception.
     *
     * @param delay the delay from now, zero or more
     * @throws IllegalArgumentException when the delay is negative or longer than 36,500 days
     */
    public SnoozeException(Duration delay) {
        super("put off for " + delay, null, false, false);
        if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("a snooze must be from 0 to 36500 days: " + delay);
        }
        this.delay = delay;
    }

    /** {@return the delay from now} */
    public Duration delay() {
        return delay;
    }
}
