package io.couchjobs.job;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of an accept. Immutable and thread-safe. Defaults: one job, due now, waiting for ever. Source: the RFC's
 * {@code accept}.
 *
 * @param types the types to take, at least one
 * @param max how many jobs at most, at least 1
 * @param latest take jobs scheduled up to this time (inclusive), or null for those due now
 * @param noSchedule take only jobs without a scheduled time, beginning at a random one
 * @param patience how long to wait for a job, zero for not at all, or null for ever; one fixed deadline
 * @param start whether the jobs are started (running) or only put aside (scheduled)
 * @param strategy which of the due jobs come first, {@link Strategy#FIFO} by default
 */
public record AcceptOptions(
        Set<String> types,
        int max,
        @Nullable Instant latest,
        boolean noSchedule,
        @Nullable Duration patience,
        boolean start,
        Strategy strategy) {
    /**
     * Checks and copies.
     *
     * @param types the types to take
     * @param max how many jobs at most
     * @param latest take jobs scheduled up to this time, or null
     * @param noSchedule take only jobs without a scheduled time
     * @param patience how long to wait, or null
     * @param start whether the jobs are started
     * @param strategy which of the due jobs come first
     * @throws IllegalArgumentException when there is no type, max is below 1, patience is negative, or noSchedule comes
     *     with a latest time other than the epoch or a strategy other than FIFO
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
        if (patience != null && patience.isNegative()) {
            throw new IllegalArgumentException("timeout must not be negative: " + patience);
        }
        if (noSchedule && latest != null && !latest.equals(Instant.EPOCH)) {
            throw new IllegalArgumentException(
                    "noSchedule takes only jobs without a time, so maxScheduledTime must be 0: " + latest);
        }
        if (noSchedule && strategy.kind() != Strategy.Kind.FIFO) {
            throw new IllegalArgumentException("noSchedule begins at a random job, so it has no strategy: " + strategy);
        }
    }

    /**
     * The default options.
     *
     * @param types the types to take
     * @return one job of these types, due now, waiting for ever
     */
    public static AcceptOptions of(String... types) {
        return new AcceptOptions(Set.of(types), 1, null, false, null, true, Strategy.FIFO);
    }

    /**
     * Takes many.
     *
     * @param jobs how many at most
     * @return the changed options
     */
    public AcceptOptions max(int jobs) {
        return new AcceptOptions(types, jobs, latest, noSchedule, patience, start, strategy);
    }

    /**
     * Takes jobs before their time, or leaves out those that fell due lately.
     *
     * @param time the last scheduled time to take, inclusive
     * @return the changed options
     */
    public AcceptOptions maxScheduledTime(Instant time) {
        return new AcceptOptions(types, max, time, noSchedule, patience, start, strategy);
    }

    /** {@return the changed options: only jobs without a scheduled time, beginning at a random one} */
    public AcceptOptions withoutSchedule() {
        return new AcceptOptions(types, max, latest, true, patience, start, strategy);
    }

    /**
     * Limits the waiting.
     *
     * @param longest how long to wait for a job; zero for not at all
     * @return the changed options
     */
    public AcceptOptions timeout(Duration longest) {
        return new AcceptOptions(types, max, latest, noSchedule, longest, start, strategy);
    }

    /**
     * Changes which of the due jobs come first.
     *
     * @param order the strategy
     * @return the changed options
     */
    public AcceptOptions strategy(Strategy order) {
        return new AcceptOptions(types, max, latest, noSchedule, patience, start, order);
    }

    /** {@return the changed options: jobs are put aside, not started} */
    public AcceptOptions unstarted() {
        return new AcceptOptions(types, max, latest, noSchedule, patience, false, strategy);
    }

    /** {@return how long to wait, or empty for ever} */
    public Optional<Duration> timeout() {
        return Optional.ofNullable(patience);
    }
}
