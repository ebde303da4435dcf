package io.couchjobs.schedule;

import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A cron expression for local times, without a time zone. Immutable and thread-safe.
 *
 * <p>The library cron-utils parses the expressions and computes their times, always in UTC. {@link Timing.Cron} handles the hours
 * that a time zone skips or repeats.
 */
final class CronExpression {
    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *",
            "@monthly", "0 0 1 * *",
            "@weekly", "0 0 * * 0",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@hourly", "0 * * * *");
    private static final List<Field> FIELDS = List.of(
            new Field("second", "0-59"),
            new Field("minute", "0-59"),
            new Field("hour", "0-23"),
            new Field("day of month", "1-31"),
            new Field("month", "1-12 or JAN-DEC"),
            new Field("day of week", "0-7 or SUN-SAT, 0 and 7 are Sunday"));
    private static final int TIME_FIELDS = 3;
    /** Restricts the syntax: the library accepts more, such as several expressions in one, but fails on some of it. */
    private static final Pattern ELEMENT = Pattern.compile("(\\*|[0-9A-Z]+(-[0-9A-Z]+)?)(/[0-9]+)?");

    private static final CronParser PARSER = new CronParser(definition());

    private final String text;
    private final List<String> fields;
    private final ExecutionTime times;

    private CronExpression(String text, List<String> fields) {
        this.text = text;
        this.fields = fields;
        this.times = ExecutionTime.forCron(PARSER.parse(String.join(" ", fields)));
    }

    /**
     * Reads an expression.
     *
     * @param text the expression, such as {@code "30 2 * * MON-FRI"} or {@code "@daily"}
     * @return the expression
     * @throws IllegalArgumentException when a field is wrong; the message names the field and its allowed values
     */
    static CronExpression parse(String text) {
        String plain = text.strip();
        if (plain.startsWith("@")) {
            return new CronExpression(plain, fields(plain, nickname(plain)));
        }
        List<String> fields = fields(plain, plain);
        for (int i = 0; i < FIELDS.size(); i++) {
            check(plain, fields.get(i), i);
        }
        return new CronExpression(plain, fields);
    }

    /** {@return the expression as it was given} */
    String text() {
        return text;
    }

    /**
     * Returns whether the expression stands for a rhythm rather than for fixed times of day: its second, minute or hour begins with
     * {@code *}. Source: Vixie cron, which treats such expressions differently when clocks change.
     */
    boolean isRhythm() {
        return fields.stream().limit(TIME_FIELDS).anyMatch(field -> field.startsWith("*"));
    }

    /** Returns the first matching time after a time; empty when there is none. */
    Optional<LocalDateTime> next(LocalDateTime after) {
        ZonedDateTime whole = after.truncatedTo(ChronoUnit.SECONDS).atZone(ZoneOffset.UTC);
        return times.nextExecution(whole).map(ZonedDateTime::toLocalDateTime);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CronExpression that && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }

    private static String nickname(String name) {
        String meaning = NICKNAMES.get(name.toLowerCase(Locale.ROOT));
        if (meaning == null) {
            throw new IllegalArgumentException("cron expression \"" + name + "\" is none of "
                    + String.join(", ", NICKNAMES.keySet().stream().sorted().toList()));
        }
        return meaning;
    }

    private static List<String> fields(String text, String plain) {
        String[] parts = plain.toUpperCase(Locale.ROOT).split("\\s+");
        if (parts.length == FIELDS.size()) {
            return List.of(parts);
        } else if (parts.length == FIELDS.size() - 1) {
            String[] all = new String[FIELDS.size()];
            all[0] = "0";
            System.arraycopy(parts, 0, all, 1, parts.length);
            return List.of(all);
        }
        throw new IllegalArgumentException(
                "cron expression \"" + text + "\" has " + (plain.isEmpty() ? 0 : parts.length)
                        + " fields; it needs 5 (minute, hour, day of month, month, day of week), or 6 with the second first");
    }

    /** Checks one field alone, because the library does not say which field is wrong. */
    private static void check(String text, String value, int index) {
        String[] alone = new String[FIELDS.size()];
        Arrays.fill(alone, "*");
        alone[index] = value;
        if (!isListOfElements(value)) {
            throw wrong(text, value, index);
        }
        try {
            PARSER.parse(String.join(" ", alone));
        } catch (RuntimeException wrong) {
            throw wrong(text, value, index);
        }
    }

    private static boolean isListOfElements(String value) {
        return Arrays.stream(value.split(",", -1))
                .allMatch(element -> ELEMENT.matcher(element).matches());
    }

    private static IllegalArgumentException wrong(String text, String value, int index) {
        Field field = FIELDS.get(index);
        return new IllegalArgumentException("cron expression \"" + text + "\": " + field.name + " \"" + value
                + "\" is wrong; it may be *, " + field.values + ", a list (a,b), a range (a-b) or a step (*/n)"
                + (value.contains("?") ? ". Write * for the ? of Quartz" : ""));
    }

    private static CronDefinition definition() {
        return CronDefinitionBuilder.defineCron()
                .withSeconds()
                .withValidRange(0, 59)
                .withStrictRange()
                .and()
                .withMinutes()
                .withValidRange(0, 59)
                .withStrictRange()
                .and()
                .withHours()
                .withValidRange(0, 23)
                .withStrictRange()
                .and()
                .withDayOfMonth()
                .withValidRange(1, 31)
                .withStrictRange()
                .and()
                .withMonth()
                .withValidRange(1, 12)
                .withStrictRange()
                .and()
                .withDayOfWeek()
                .withValidRange(0, 7)
                .withMondayDoWValue(1)
                .withIntMapping(7, 0)
                .withStrictRange()
                .and()
                .instance();
    }

    private record Field(String name, String values) {}
}
