package io.couchjobs.type;

import java.time.Duration;

/**
 * The retry policy of failed jobs: the number of retries and the delay before each. Immutable and thread-safe. Defaults: 5 retries,
 * the first 30 s after the start of the failed run. The delay doubles with each failure, up to 12 hours. There is no jitter.
 *
 * <p>Delays saturate: no delay exceeds the maximum delay or 36,500 days, regardless of the number of failures.
 *
 * @param maxRetries the number of retries after the first run; 0 for none
 * @param delay the delay after the first failure, from the start of the failed run
 * @param maxDelay the limit for the doubled delay; a longer first delay is kept
 * @param jitter the largest random extra delay, as a fraction of the delay from 0 to 1; it spreads the retries of jobs that failed
 *     together
 */
public record RetryPolicy(int maxRetries, Duration delay, Duration maxDelay, double jitter) {
    /** The policy of a type without settings. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, Duration.ofSeconds(30), Duration.ofHours(12));

    private static final Duration LONGEST = Duration.ofDays(36_500);

    /**
     * Checks the numbers.
     *
     * @param maxRetries the number of retries after the first run
     * @param delay the delay after the first failure
     * @param maxDelay the limit for the doubled delay
     * @param jitter the largest random extra delay, as a fraction of the delay
     * @throws IllegalArgumentException when a number is negative, or jitter is greater than 1
     */
    public RetryPolicy {
        if (maxRetries < 0) {
            throw new IllegalArgumentException("maxRetries must be 0 or more: " + maxRetries);
        }
        if (delay.isNegative() || maxDelay.isNegative()) {
            throw new IllegalArgumentException("retry delays must not be negative: " + delay + ", " + maxDelay);
        }
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new IllegalArgumentException("retry jitter must be from 0 to 1: " + jitter);
        }
    }

    /**
     * Creates a policy without jitter.
     *
     * @param maxRetries the number of retries after the first run
     * @param delay the delay after the first failure
     * @param maxDelay the limit for the doubled delay
     * @throws IllegalArgumentException when a number is negative
     */
    public RetryPolicy(int maxRetries, Duration delay, Duration maxDelay) {
        this(maxRetries, delay, maxDelay, 0);
    }

    /**
     * Returns the delay before the run that follows a failure, without jitter.
     *
     * @param failure the index of the failure: 0 for the first
     * @return the delay from the start of the failed run
     */
    public Duration delayAfter(int failure) {
        long first = millis(delay);
        long longest = Math.max(first, millis(maxDelay));
        boolean saturated = failure >= 62 || longest >> failure < first;
        return Duration.ofMillis(saturated ? longest : first << failure);
    }

    /**
     * Returns the delay before the run that follows a failure.
     *
     * @param failure the index of the failure: 0 for the first
     * @param luck the share of the jitter that is added, from 0 to 1
     * @return the delay from the start of the failed run
     */
    public Duration delayAfter(int failure, double luck) {
        long millis = delayAfter(failure).toMillis();
        return Duration.ofMillis(Math.min(LONGEST.toMillis(), millis + Math.round(millis * jitter * luck)));
    }

    /**
     * {@return this policy, with another number of retries}
     *
     * @param retries the number of retries after the first run
     */
    public RetryPolicy withMaxRetries(int retries) {
        return new RetryPolicy(retries, delay, maxDelay, jitter);
    }

    /**
     * {@return this policy, with another jitter}
     *
     * @param part the largest random extra delay, as a fraction of the delay from 0 to 1
     */
    public RetryPolicy withJitter(double part) {
        return new RetryPolicy(maxRetries, delay, maxDelay, part);
    }

    /** Converts a duration to milliseconds, limited to 36,500 days. */
    static long millis(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : duration.toMillis();
    }
}
