package io.couchjobs.type;

import java.time.Duration;

/**
 * How often, and after which delay, a failed job runs again. Immutable and thread-safe. Defaults: 5 retries, 30 s after
 * the start of the first failed run, doubled with each failure, at most 12 hours, no jitter.
 *
 * <p>Delays saturate: however many failures there were, no delay exceeds the longest, nor 36,500 days.
 *
 * @param maxRetries how many retries follow the first run; 0 for none
 * @param delay the delay after the first failure, from the start of the failed run
 * @param maxDelay the limit of doubling; a first delay that is longer stays as it is
 * @param jitter the greatest random part of a delay that is added to it, from 0 to 1, so that jobs that failed together do not
 *     all come back together
 */
public record RetryPolicy(int maxRetries, Duration delay, Duration maxDelay, double jitter) {
    /** The policy of a type without settings. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(5, Duration.ofSeconds(30), Duration.ofHours(12));

    private static final Duration LONGEST = Duration.ofDays(36_500);

    /**
     * Checks the numbers.
     *
     * @param maxRetries how many retries follow the first run
     * @param delay the delay after the first failure
     * @param maxDelay the limit of doubling
     * @param jitter by which part of itself a delay may grow
     * @throws IllegalArgumentException when a number is negative, or jitter is above 1
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
     * A policy without jitter.
     *
     * @param maxRetries how many retries follow the first run
     * @param delay the delay after the first failure
     * @param maxDelay the limit of doubling
     * @throws IllegalArgumentException when a number is negative
     */
    public RetryPolicy(int maxRetries, Duration delay, Duration maxDelay) {
        this(maxRetries, delay, maxDelay, 0);
    }

    /**
     * The delay before the run that follows a failure, without jitter.
     *
     * @param failure which failure: 0 for the first
     * @return the delay from the start of the failed run
     */
    public Duration delayAfter(int failure) {
        long first = millis(delay);
        long longest = Math.max(first, millis(maxDelay));
        boolean saturated = failure >= 62 || longest >> failure < first;
        return Duration.ofMillis(saturated ? longest : first << failure);
    }

    /**
     * The delay before the run that follows a failure.
     *
     * @param failure which failure: 0 for the first
     * @param luck from 0 to 1, how much of the jitter the delay gets
     * @return the delay from the start of the failed run
     */
    public Duration delayAfter(int failure, double luck) {
        long millis = delayAfter(failure).toMillis();
        return Duration.ofMillis(Math.min(LONGEST.toMillis(), millis + Math.round(millis * jitter * luck)));
    }

    /**
     * {@return this policy, with another number of retries}
     *
     * @param retries how many retries follow the first run
     */
    public RetryPolicy withMaxRetries(int retries) {
        return new RetryPolicy(retries, delay, maxDelay, jitter);
    }

    /**
     * {@return this policy, with another jitter}
     *
     * @param part the greatest random part of a delay that is added to it, from 0 to 1
     */
    public RetryPolicy withJitter(double part) {
        return new RetryPolicy(maxRetries, delay, maxDelay, part);
    }

    /** At most those of the longest delay. */
    static long millis(Duration duration) {
        return duration.compareTo(LONGEST) > 0 ? LONGEST.toMillis() : duration.toMillis();
    }
}
