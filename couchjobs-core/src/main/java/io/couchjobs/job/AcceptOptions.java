package io.couchjobs.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The options of an accept. Immutable and thread-safe. Defaults: one job, due now, waiting for ever, started. Source: the RFC's
 * {@code accept}.
 *
 * @param types the types to take, at least one
 * @param max how many jobs at most, at least 1
 * @param maxScheduledTime take jobs scheduled up to this time (inclusive), or null for those due now
 * @param noSchedule take only jobs without a scheduled time, beginning at a random one
 * @param timeout how long to wait for a job, zero for not at all, or null for ever; one fixed deadline
 * @param start whether the jobs are started (running) or only put aside (scheduled)
 * @param strategy which of the due jobs come first, {@link Strategy#FIFO} by default
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
     * Checks and copies.
     *
     * @param types the types to take
     * @param max how many jobs at most
     * @param maxScheduledTime take jobs scheduled up to this time, or null
     * @param noSchedule take only jobs without a scheduled time
     * @param timeout how long to wait, or null
     * @param start whether the jobs are started
     * @param strategy which of the due jobs come first
     * @throws IllegalArgumentException when there is no type, max is below 1, timeout is negative, or noSchedule comes
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
     * The default options.
     *
     * @param types the types to take, at least one
     * @return one job of these types, due now, waiting for ever
     */
    public static AcceptOptions of(JobType<?>... types) {
        return of(Stream.of(types).map(JobType::name).toArray(String[]::new));
    }

    /**
     * The default options.
     *
     * @param types the types to take, at least one
     * @return one job of these types, due now, waiting for ever
     */
    public static AcceptOptions of(String... types) {
        return new AcceptOptions(Set.of(types), 1, null, false, null, true, Strategy.FIFO);
    }

    /**
     * {@return these options, with the number of jobs to take}
     *
     * @param jobs how many at most
     */
    public AcceptOptions max(int jobs) {
        return new AcceptOptions(types, jobs, maxScheduledTime, noSchedule, timeout, start, strategy);
    }

    /**
     * {@return these options, with jobs before their time, or without those that fell due lately}
     *
     * @param time the last scheduled time to take, inclusive
     */
    public AcceptOptions maxScheduledTime(Instant time) {
        return new AcceptOptions(types, max, time, noSchedule, timeout, start, strategy);
    }

    /**
     * {@return these options, for jobs without a scheduled time only}
     *
     * @param only whether to take only those, beginning at a random one
     */
    public AcceptOptions noSchedule(boolean only) {
        return new AcceptOptions(types, max, maxScheduledTime, only, timeout, start, strategy);
    }

    /**
     * {@return these options, with a limit to the waiting}
     *
     * @param longest how long to wait for a job; zero for not at all
     */
    public AcceptOptions timeout(Duration longest) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, longest, start, strategy);
    }

    /**
     * {@return these options, for jobs that are started, or put aside for {@link ClaimedJob#start}}
     *
     * @param atOnce whether they are started
     */
    public AcceptOptions start(boolean atOnce) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, timeout, atOnce, strategy);
    }

    /**
     * {@return these options, with another choice of which due jobs come first}
     *
     * @param order the strategy
     */
    public AcceptOptions strategy(Strategy order) {
        return new AcceptOptions(types, max, maxScheduledTime, noSchedule, timeout, start, order);
    }
}
