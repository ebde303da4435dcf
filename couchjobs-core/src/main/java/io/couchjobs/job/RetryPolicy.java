package io.couchjobs.job;

import java.time.Duration;

/**
 * How often, and after which delay, a failed job runs again. Immutable and thread-safe. Defaults: 5 retries, 30 s after
 * the start of the first failed run, doubled with each failure, at most 12 hours.
 *
 * @param maxRetries how many retries follow the first run; 0 for none
 * @param delay the delay after the first failure, from the start of the failed run; positive
 * @param maxDelay what no delay exceeds
 */
public record RetryPolicy(int maxRetries, Duration delay, Duration maxDelay) {
    /** The policy of a type without settings. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, Duration.ofSeconds(30), Duration.ofHours(12));

    /**
     * Checks the numbers.
     *
     * @param maxRetries how many retries follow the first run
     * @param delay the delay after the first failure
     * @param maxDelay what no delay exceeds
     * @throws IllegalArgumentException when a number is negative
     */
    public RetryPolicy {
        if (maxRetries < 0) {
            throw new IllegalArgumentException("maxRetries must be 0 or more: " + maxRetries);
        }
        if (delay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("retry delays must not be negative: " + delay + ", " + maxDelay);
        }
    }

    /**
     * The delay before the run that follows a failure. Saturates at {@link #maxDelay}, however many failures there were.
     *
     * @param failure which failure: 0 for the first
     * @return the delay from the start of the failed run
     */
    public Duration delayAfter(int failure) {
        Duration longest = delay.compareTo(maxDelay) > 0 ? delay : maxDelay;
        if (failure >= 62 || longest.toMillis() >> failure < delay.toMillis()) {
            return longest;
        }
        return Duration.ofMillis(delay.toMillis() << failure);
    }

    /**
     * The same policy with another number of retries.
     *
     * @param retries how many retries follow the first run
     * @return the changed policy
     */
    public RetryPolicy withMaxRetries(int retries) {
        return new RetryPolicy(retries, delay, maxDelay);
    }
}
