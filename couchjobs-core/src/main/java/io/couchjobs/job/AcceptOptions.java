package io.couchjobs.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of an accept. Immutable and thread-safe. Defaults: one job that is due now and is started, with no limit on the wait.
 * Source: the RFC's {@code accept}.
 *
 * @param types the types of jobs to claim, at least one
 * @param max the highest number of jobs to claim, at least 1
 * @param maxScheduledTime the latest scheduled time to claim (inclusive), or null for jobs that are due now
 * @param noSchedule whether to claim only jobs without a scheduled time, beginning at a random job
 * @param timeout the longest total time to wait for a job; zero does not wait, null waits forever
 * @param start whether the claimed jobs are started (running) or only reserved (scheduled)
 * @param strategy the order of the due jobs, {@link Strategy#FIFO} by default
 */
public record AcceptOptions(
        Set<String> types,
        int max,
        @Nullable Instant maxScheduledTime,
        boolean noSchedule,
        @Nullable Duration timeout,
        boolean start,
        Strategy strategy) {
    /**
     * Checks the values and copies the types.
     *
     * @param types the types of jobs to claim
     * @param max the highest number of jobs to claim
     * @param maxScheduledTime the latest scheduled time to claim, or null
     * @param noSchedule whether to claim only jobs without a scheduled time
     * @param timeout the longest time to wait, or null
     * @param start whether the claimed jobs are started
     * @param strategy the order of the due jobs
     * @throws IllegalArgumentException when there is no type, max is less than 1, timeout is negative, or noSchedule is combined
     *     with a maxScheduledTime other than the epoch or a strategy other than FIFO
     */
    public AcceptOptions {
        types = Set.copyOf(types);
        types.forEach(JobId::checkType);
        if (types.isEmpty()) {
            throw new IllegalArgumentException("accept needs at least one type");
        }
        if (max < 1) {
            throw new IllegalArgumentException("max must be at least 1: " + max);
        }
        if (timeout != null && timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative: " + timeout);
        }
        if (noSchedule && maxScheduledTime != null && !maxScheduledTime.equals(Instant.EPOCH)) {
            throw new IllegalArgumentException(
                    "noSchedule takes only jobs without a time, so maxScheduledTime must be 0: " + maxScheduledTime);
        }
        if (noSchedule && strategy.kind() != Strategy.Kind.FIFO) {
            throw new IllegalArgumentException("noSchedule begins at a random job, so it has no strategy: " + strategy);
        }
    }

    /**
     * Returns the default options for some types.
     *
     * @param types the types of jobs to claim, at least one
     * @return options for one due job of these types, waiting forever
     */
    public static AcceptOptions of(JobType<?>... types) {
        return of(Stream.of(types).map(JobType::name).toArray(String[]::new));
    }

    /**
     * Returns the default options for some types.
     *
     * @param types the types of jobs to claim, at least one
     * @return options for one due job of these types, waiting forever
     */
    public static AcceptOptions of(String... types) {
        return new AcceptOptions(Set.of(types), 1, null, false, null, true, Strategy.FIFO);
    }

    /**
     * {@return these options, with the number of jobs to claim}
     *
     * @param jobs the highest number of jobs
     */
    public AcceptOptions max(int jobs) {
        return new AcceptOptions(types, jobs, maxScheduledTime, noSchedule, timeout, start, strategy);
    }

    /**
     * {@return these options, with another latest scheduled time} A future time also claims jobs before their time; a past time
     * leaves out recently due jobs.
     *
     * @param time the latest scheduled time to claim, inclusive
     */
    public AcceptOptions maxScheduledTime(Instant time) {
        return new AcceptOptions(types, max, time, noSchedule, timeout, start, strategy);
    }

    /**
     * {@return these options, for jobs without a scheduled time only}
     *
     * @param only whether to claim only such jobs, beginning at a random job
     */
    public AcceptOptions noSchedule(boolean only) {
        return new AcceptOptions(types, max, maxScheduledTime, only, timeout, start, strategy);
    }

    /**
     * {@return these options, with a limit on the wait}
     *
     * @param longest the longest time to wait for a job; zero does not wait
     */
    public AcceptOptions timeout(Duration longest) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, longest, start, strategy);
    }

    /**
     * {@return these options, with the choice whether claimed jobs are started or only reserved until {@link ClaimedJob#start}}
     *
     * @param atOnce whether the jobs are started at once
     */
    public AcceptOptions start(boolean atOnce) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, timeout, atOnce, strategy);
    }

    /**
     * {@return these options, with another order of the due jobs}
     *
     * @param order the strategy
     */
    public AcceptOptions strategy(Strategy order) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, timeout, start, order);
    }
}
