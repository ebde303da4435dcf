package io.couchjobs.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;

/**
 * Reads a TIME of the command line: ISO-8601 (without an offset, in the given zone), epoch seconds (a number below
 * 100,000,000,000), epoch milliseconds, or a DURATION from now with a plus sign.
 *
 * @param clock tells the present time
 * @param zone the zone of times that name no offset
 */
public record Times(InstantSource clock, ZoneId zone) {
    private static final DateTimeFormatter ISO = DateTimeFormatter.ISO_DATE_TIME;
    private static final long FIRST_MILLIS = 100_000_000_000L;

    /**
     * Reads a time.
     *
     * @param text such as {@code "2030-01-31T12:00:00Z"} or {@code "+5m"}
     * @return the time
     * @throws IllegalArgumentException when the text is not a TIME; the message names the text
     */
    public Instant parse(String text) {
        try {
            if (text.startsWith("+")) {
                return clock.instant().plus(Durations.parse(text.substring(1)));
            }
            return text.chars().allMatch(Character::isDigit) ? epoch(text) : iso(text);
        } catch (DateTimeException | ArithmeticException | IllegalArgumentException notATime) {
            throw new IllegalArgumentException("not a time: '" + text
                    + "' (give ISO-8601, epoch seconds or milliseconds, or a duration from now such as +5m)");
        }
    }

    /**
     * Reads a time from JSON. A string or a number is a TIME; 0, the epoch, means at once.
     *
     * @param value a string or an integer
     * @return the time
     * @throws IllegalArgumentException when the value is not a time
     */
    public Instant parse(JsonNode value) {
        return parse(value.isTextual() ? value.asText() : value.toString());
    }

    private Instant iso(String text) {
        if (text.indexOf('T') < 0) {
            return LocalDate.parse(text).atStartOfDay(zone).toInstant();
        }
        TemporalAccessor time = ISO.parseBest(text, ZonedDateTime::from, OffsetDateTime::from, LocalDateTime::from);
        return time instanceof LocalDateTime local ? local.atZone(zone).toInstant() : Instant.from(time);
    }

    private static Instant epoch(String digits) {
        long number = Long.parseLong(digits);
        return number < FIRST_MILLIS ? Instant.ofEpochSecond(number) : Instant.ofEpochMilli(number);
    }
}
