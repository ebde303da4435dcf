package io.couchjobs.engine.schedule;

import io.couchjobs.schedule.Schedule;
import io.couchjobs.schedule.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The work of a schedule at a time: a pure function of both, so that all processes decide alike. Immutable and
 * thread-safe.
 *
 * @param ticks the ticks to make jobs for, in their order; may be none
 * @param passed earlier ticks that are left out now, and whose jobs another process may have made before it died
 * @param until the last tick that is dealt with by that
 */
public record Due(List<Instant> ticks, List<Instant> passed, Instant until) {
    private static final Duration LATE = Duration.ofMinutes(1);
    private static final Duration AHEAD = Duration.ofMinutes(1);

    /**
     * {@return whether ticks are noted as dealt with that are further ahead than clocks differ} The server's clock was wrong then.
     * The schedule makes no jobs until these ticks are over.
     */
    public static boolean isAhead(Schedule schedule, Instant now) {
        return schedule.isEnabled()
                && schedule.last().filter(now.plus(AHEAD)::isBefore).isPresent();
    }

    /** {@return the work; empty when there is none} */
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
                    // The first, not the newest: which is the newest depends on who looks when.
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

    /** The ticks since the earliest time. With overlap SKIP only the newest: its unfinished job would keep the others from being made. */
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
