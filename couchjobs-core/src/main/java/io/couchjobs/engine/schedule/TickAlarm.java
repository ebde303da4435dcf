package io.couchjobs.engine.schedule;

import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The time at which a scheduler processes a schedule again. Not thread-safe; used only by the scheduler's lane. */
final class TickAlarm {
    private static final int SHORTEST_COURTESY = 100;
    private static final int LONGEST_COURTESY = 400;

    private final Schedule schedule;
    private final @Nullable Instant due;
    private final boolean ours;
    private final Backoff backoff;
    private long notBefore;
    private boolean isTold;
    private boolean isAheadTold;

    private TickAlarm(Schedule schedule, @Nullable Instant due, boolean ours, Backoff backoff) {
        this.schedule = schedule;
        this.due = due;
        this.ours = ours;
        this.backoff = backoff;
    }

    /**
     * Returns an alarm for a schedule's next tick.
     *
     * @param ours whether this process made the schedule's last job. It then makes the next job without waiting for other processes
     * @param random the source of the random time to wait for other processes
     */
    static TickAlarm of(Schedule schedule, Instant now, boolean ours, Backoff backoff, Random random) {
        if (!schedule.isEnabled()) {
            return new TickAlarm(schedule, null, ours, backoff);
        }
        Instant tick = schedule.last().isEmpty()
                ? now
                : schedule.last().flatMap(schedule.timing()::next).orElse(null);
        long courtesy = ours ? 0 : random.nextLong(SHORTEST_COURTESY, LONGEST_COURTESY);
        return new TickAlarm(schedule, tick == null ? null : tick.plusMillis(courtesy), ours, backoff);
    }

    String name() {
        return schedule.name();
    }

    boolean isOurs() {
        return ours;
    }

    /** {@return whether a clock that was ahead keeps the schedule from making jobs; true only once, so that it is reported once} */
    boolean noteSilence(Instant now) {
        boolean isNews = !isAheadTold && Due.isAhead(schedule, now);
        isAheadTold |= isNews;
        return isNews;
    }

    /** Returns whether this alarm waits for a tick. */
    boolean isSet() {
        return due != null;
    }

    /** Returns whether this alarm is surely for an earlier tick than another alarm, whatever random time each includes. */
    boolean isBefore(TickAlarm other) {
        return due != null
                && (other.due == null || due.plusMillis(LONGEST_COURTESY).isBefore(other.due));
    }

    boolean isDue(Instant now, long nanos) {
        return left(now, nanos)
                .filter(left -> left.isNegative() || left.isZero())
                .isPresent();
    }

    /** Returns the time until the alarm is due; empty when there is no tick to wait for. */
    Optional<Duration> left(Instant now, long nanos) {
        if (due == null) {
            return Optional.empty();
        }
        Duration left = Duration.between(now, due);
        Duration pause = hasFailed() ? Duration.ofNanos(notBefore - nanos) : Duration.ZERO;
        return Optional.of(left.compareTo(pause) > 0 ? left : pause);
    }

    boolean hasFailed() {
        return backoff.attempts() > 0;
    }

    /**
     * Returns whether a failure is to be reported, and records the report, because only one failure is reported. If the first
     * failure is a missing confirmation, it is not reported: another process of a cluster may be making the same job at this
     * moment.
     */
    boolean isToBeTold(Throwable failure) {
        boolean mayBeARace = failure instanceof UnconfirmedException && !hasFailed();
        boolean isNews = !isTold && !mayBeARace;
        isTold |= isNews;
        return isNews;
    }

    void failed(long nanos) {
        notBefore = nanos + backoff.next().toNanos();
    }

    /** Allows a retry at once, because the cause of the failure may be over. */
    void tryAgain(long nanos) {
        notBefore = nanos;
    }
}
