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
 * The times at which a schedule ticks. A pure function of time, so all processes agree on the ticks, and the ticks cannot drift.
 * Immutable and thread-safe.
 */
public sealed interface Timing {
    /**
     * Returns the next tick.
     *
     * @param after any time
     * @return the first tick strictly after that time; empty when there are no more ticks
     */
    Optional<Instant> next(Instant after);

    /**
     * Returns the next ticks.
     *
     * @param after any time
     * @param count the maximum number of ticks
     * @return the first ticks strictly after that time, in ascending order; fewer when there are no more
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
     * Returns the last tick up to a time. Searches by halving the time span, so even years of ticks every second need few steps.
     *
     * @param tick a tick
     * @param until a time, not before the tick
     * @return the last tick that is not after that time, which may be the given tick
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
     * Ticks at a fixed interval, counted from a start. No tick depends on when an earlier tick was noticed, so the ticks never
     * drift. Immutable and thread-safe.
     *
     * @param every the interval between ticks: whole milliseconds, 1 s to 3650 days
     * @param from the first tick; later ticks follow at whole intervals
     */
    record Interval(Duration every, Instant from) implements Timing {
        private static final Duration SHORTEST = Duration.ofSeconds(1);
        private static final Duration LONGEST = Duration.ofDays(3650);

        /**
         * Checks the interval, and truncates both values to milliseconds.
         *
         * @param every the interval between ticks
         * @param from the first tick
         * @throws IllegalArgumentException when the interval is too short or too long
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
     * Ticks at the local times of a time zone that match a cron expression. Immutable and thread-safe.
     *
     * <p>Clock changes are handled as in Vixie cron. An expression for fixed times of day ({@code 30 2 * * *}) ticks once for each
     * of these times: a skipped time ticks at the moment of the clock change, and a repeated time ticks at its first occurrence. An
     * expression for a rhythm (second, minute or hour begins with {@code *}) keeps its rhythm: skipped times do not tick, and
     * repeated times tick twice.
     *
     * <p>An expression has five fields (minute, hour, day of month, month, day of week), or six with the second first, or is one of
     * {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code @midnight}, {@code
     * @hourly}. A field is {@code *}, a number or a range, each optionally with a step, or a list of these. Months and weekdays may
     *     be names (JAN, MON). Sunday is 0 or 7. When both day fields are restricted, a day that matches either field counts.
     *     Source: crontab(5).
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
         * @param expression the expression, such as {@code "30 2 * * MON-FRI"} or {@code "@daily"}
         * @param zone the time zone
         * @return the timing
         * @throws IllegalArgumentException when a field is wrong; the message names the field and its allowed values
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

        /** {@return the time zone} */
        public ZoneId zone() {
            return zone;
        }

        @Override
        public Optional<Instant> next(Instant after) {
            return expression.isRhythm() ? nextInRhythm(after) : nextTimeOfDay(after);
        }

        /** Finds the next fixed time of day. Each local time has one moment, and a later local time never has an earlier moment. */
        private Optional<Instant> nextTimeOfDay(Instant after) {
            Optional<LocalDateTime> time = expression.next(LocalDateTime.ofInstant(after, zone));
            // In the second pass of a repeated hour, skips the times that already ticked in the first pass.
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

        /**
         * Finds the next time of a rhythm. Searches each period between two clock changes separately, because its offset is
         * constant.
         */
        private Optional<Instant> nextInRhythm(Instant after) {
            ZoneRules rules = zone.getRules();
            ZoneOffset offset = rules.getOffset(after);
            ZoneOffsetTransition change = rules.nextTransition(after);
            Optional<Instant> tick = tickOf(LocalDateTime.ofInstant(after, offset), offset);
            while (change != null && tick.isPresent() && !tick.get().isBefore(change.getInstant())) {
                offset = change.getOffsetAfter();
                // Includes the moment of the change itself.
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
