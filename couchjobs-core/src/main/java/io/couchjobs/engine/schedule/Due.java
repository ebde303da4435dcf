package io.couchjobs.engine.schedule;

import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The due work of a schedule at a time. A pure function of both, so all processes decide alike. Immutable and thread-safe.
 *
 * @param ticks the ticks to make jobs for, in ascending order; may be empty
 * @param passed earlier ticks that are skipped now, but whose jobs another process may have made before it died
 * @param until the last tick that this work covers
 */
public record Due(List<Instant> ticks, List<Instant> passed, Instant until) {
    private static final Duration LATE = Duration.ofMinutes(1);
    private static final Duration AHEAD = Duration.ofMinutes(1);

    /**
     * Returns whether the schedule's last processed tick is more than a minute ahead. The server's clock was wrong then. The
     * schedule makes no jobs until the clock has passed that tick.
     */
    public static boolean isAhead(Schedule schedule, Instant now) {
        return schedule.isEnabled()
                && schedule.last().filter(now.plus(AHEAD)::isBefore).isPresent();
    }

    /** {@return the due work; empty when there is none} */
    static Optional<Due> of(Schedule schedule, Instant now) {
        Timing timing = schedule.timing();
        return schedule.last()
                .flatMap(timing::next)
                .filter(first -> !first.isAfter(now))
                .map(first -> of(schedule, first, timing.last(first, now), now));
    }

    private static Due of(Schedule schedule, Instant first, Instant newest, Instant now) {
        List<Instant> ticks =
                switch (schedule.missed()) {
                    // The first tick, not the newest: each process may see another newest tick.
                    case ONCE -> List.of(first);
                    case SKIP -> inTime(schedule, first, newest, now.minus(LATE));
                    case ALL -> allOf(schedule.timing(), first, newest);
                };
        List<Instant> passed = schedule.missed() == Schedule.MissedPolicy.SKIP
                ? allOf(schedule.timing(), first, newest).stream()
                        .filter(tick -> !ticks.contains(tick))
                        .toList()
                : List.of();
        return new Due(ticks, passed, newest);
    }

    /**
     * Returns the ticks since the earliest time; with overlap SKIP only the newest, because only one of these jobs may exist
     * unfinished.
     */
    private static List<Instant> inTime(Schedule schedule, Instant first, Instant newest, Instant earliest) {
        if (newest.isBefore(earliest)) {
            return List.of();
        }
        return schedule.overlap() == Schedule.OverlapPolicy.SKIP
                ? List.of(newest)
                : allOf(schedule.timing(), first.isBefore(earliest) ? earliest : first, newest);
    }

    private static List<Instant> allOf(Timing timing, Instant first, Instant newest) {
        return timing.next(first.minusMillis(1), Schedule.MissedPolicy.MOST_MADE_UP).stream()
                .filter(tick -> !tick.isAfter(newest))
                .toList();
    }
}
