package io.couchjobs.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * When a schedule ticks: a pure function of time, so that all processes agree on it and nothing can drift. Immutable and
 * thread-safe.
 */
public sealed interface Timing {
    /**
     * The next tick.
     *
     * @param after any time
     * @return the first tick after that time, never that time itself; empty when there is none any more
     */
    Optional<Instant> next(Instant after);

    /**
     * The next ticks.
     *
     * @param after any time
     * @param count how many
     * @return the first ticks after that time, in their order; fewer when there are no more
     */
    default List<Instant> next(Instant after, int count) {
        List<Instant> ticks = new ArrayList<>();
        Optional<Instant> tick = next(after);
        while (tick.isPresent() && ticks.size() < count) {
            ticks.add(tick.get());
            tick = next(tick.get());
        }
        return List.copyOf(ticks);
    }

    /**
     * The last tick up to a time. Found by halving: years of ticks every second are no more work than one.
     *
     * @param tick a tick
     * @param until a time, not before it
     * @return the last tick that is not after that time, which may be the given one
     */
    default Instant last(Instant tick, Instant until) {
        Instant low = tick;
        Instant high = until;
        while (isTickBetween(low, until)) {
            Instant middle = low.plus(Duration.between(low, high).dividedBy(2));
            Optional<Instant> found = next(middle).filter(next -> !next.isAfter(until));
            low = found.orElse(low);
            high = found.isPresent() ? high : middle;
        }
        return low;
    }

    private boolean isTickBetween(Instant after, Instant until) {
        return next(after).filter(next -> !next.isAfter(until)).isPresent();
    }

    /**
     * Ticks a fixed time apart, counted from a start: no tick depends on when another was noticed, so they never drift.
     * Immutable and thread-safe.
     *
     * @param every the distance: whole milliseconds, 1 s to 3650 days
     * @param from the first tick; later ones are whole distances after it
     */
    record Interval(Duration every, Instant from) implements Timing {
        private static final Duration SHORTEST = Duration.ofSeconds(1);
        private static final Duration LONGEST = Duration.ofDays(3650);

        /**
         * Checks the distance.
         *
         * @param every the distance
         * @param from the first tick
         * @throws IllegalArgumentException when the distance is too short or too long
         */
        public Interval {
            if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("every must be from 1 s to 3650 days: " + every.toSeconds() + " s");
            }
            every = Duration.ofMillis(every.toMillis());
            from = Instant.ofEpochMilli(from.toEpochMilli());
        }

        @Override
        public Optional<Instant> next(Instant after) {
            if (after.isBefore(from)) {
                return Optional.of(from);
            }
            long passed = Duration.between(from, after).dividedBy(every);
            return Optional.of(from.plusMillis((passed + 1) * every.toMillis()));
        }

        @Override
        public String toString() {
            return "every " + every + " from " + from;
        }
    }

    /**
     * Ticks at the times that a cron expression names on the clocks of a zone. Immutable and thread-safe.
     *
     * <p>Changes of the clocks are handled as in Vixie cron. An expression that names times of day ({@code 30 2 * * *}) ticks
     * once for each of them: a skipped time ticks at the moment of the change, and a repeated time ticks when it first comes. An
     * expression that names a rhythm (second, minute or hour begins with {@code *}) keeps its rhythm: skipped times are not made
     * up for, and repeated times tick twice.
     *
     * <p>An expression has five fields - minute, hour, day of month, month, day of week - or six with the second first, or it is one of
     * {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code @midnight}, {@code @hourly}. A field
     * is {@code *}, a number, a list, a range, and either of them with a step; months and weekdays may be names (JAN, MON), Sunday is 0
     * or 7. When both day fields are restricted, a day that fits either will do. Source: crontab(5).
     */
    final class Cron implements Timing {
        private final CronExpression expression;
        private final ZoneId zone;

        private Cron(CronExpression expression, ZoneId zone) {
            this.expression = expression;
            this.zone = zone;
        }

        /**
         * Reads an expression.
         *
         * @param expression such as {@code "30 2 * * MON-FRI"} or {@code "@daily"}
         * @param zone whose clocks
         * @return the timing
         * @throws IllegalArgumentException naming the field that is wrong, and what it may be
         */
        public static Cron of(String expression, ZoneId zone) {
            return of(CronExpression.parse(expression), zone);
        }

        static Cron of(CronExpression expression, ZoneId zone) {
            return new Cron(expression, zone);
        }

        /** {@return the expression as it was given} */
        public String expression() {
            return expression.text();
        }

        /** {@return whose clocks} */
        public ZoneId zone() {
            return zone;
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return expression.isRhythm() ? nextInRhythm(after) : nextTimeOfDay(after);
        }

        /** Each named time has one moment, and later times have no earlier moments. */
        private Optional<Instant> nextTimeOfDay(Instant after) {
            Optional<LocalDateTime> time = expression.next(LocalDateTime.ofInstant(after, zone));
            // In a repeated hour the times of its first pass are over, though the clock has not shown them again yet.
            while (time.isPresent() && !moment(time.get()).isAfter(after)) {
                time = expression.next(time.get());
            }
            return time.map(this::moment);
        }

        private Instant moment(LocalDateTime time) {
            ZoneOffsetTransition change = zone.getRules().getTransition(time);
            if (change == null) {
                return time.toInstant(zone.getRules().getOffset(time));
            }
            return change.isGap() ? change.getInstant() : time.toInstant(change.getOffsetBefore());
        }

        /** From one change of the clocks to the next they run evenly; each such stretch is searched on its own. */
        private Optional<Instant> nextInRhythm(Instant after) {
            ZoneRules rules = zone.getRules();
            ZoneOffset offset = rules.getOffset(after);
            ZoneOffsetTransition change = rules.nextTransition(after);
            Optional<Instant> tick = tickOf(LocalDateTime.ofInstant(after, offset), offset);
            while (change != null && tick.isPresent() && !tick.get().isBefore(change.getInstant())) {
                offset = change.getOffsetAfter();
                // The moment of the change itself counts.
                tick = tickOf(change.getDateTimeAfter().minusSeconds(1), offset);
                change = rules.nextTransition(change.getInstant());
            }
            return tick;
        }

        private Optional<Instant> tickOf(LocalDateTime after, ZoneOffset offset) {
            return expression.next(after).map(time -> time.toInstant(offset));
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Cron that && expression.equals(that.expression) && zone.equals(that.zone);
        }

        @Override
        public int hashCode() {
            return Objects.hash(expression, zone);
        }

        @Override
        public String toString() {
            return expression + " (" + zone + ")";
        }
    }
}
