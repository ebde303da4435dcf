package io.couchjobs.schedule;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Objects;
import java.util.Optional;

/**
 * Ticks at the times that a cron expression names on the clocks of a zone. Immutable and thread-safe.
 *
 * <p>When clocks are changed, as Vixie cron does it: an expression that names times of day ({@code 30 2 * * *}) ticks once
 * for each; a time that is skipped ticks at the moment of the change, one that comes twice ticks the first time. An
 * expression that names a rhythm (second, minute or hour begins with {@code *}) goes on in its rhythm: what is skipped is
 * not made up for, what comes twice ticks twice.
 *
 * <p>An expression has five fields - minute, hour, day of month, month, day of week - or six with the second first, or it is one of
 * {@code @yearly}, {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily}, {@code @midnight}, {@code @hourly}. A field
 * is {@code *}, a number, a list, a range, and either of them with a step; months and weekdays may be names (JAN, MON), Sunday is 0
 * or 7. When both day fields are restricted, a day that fits either will do. Source: crontab(5).
 */
public final class CronTiming implements Timing {
    private final CronExpression expression;
    private final ZoneId zone;

    private CronTiming(CronExpression expression, ZoneId zone) {
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
    public static CronTiming of(String expression, ZoneId zone) {
        return of(CronExpression.parse(expression), zone);
    }

    static CronTiming of(CronExpression expression, ZoneId zone) {
        return new CronTiming(expression, zone);
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
        return other instanceof CronTiming that && expression.equals(that.expression) && zone.equals(that.zone);
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
