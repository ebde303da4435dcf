package io.couchjobs.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.engine.document.Field;
import java.time.Instant;

/**
 * How a scheduled time is stored: in epoch ms, 0 for at once. Others may write epoch seconds. The numbers between 0 and
 * {@value #FIRST_MILLIS} tell them apart: as ms they would be times before 1973-03-03, which are never scheduled. A
 * time before that, however it is given, is at once. The twin of {@code millis} in design-docs/lib/job.js: change both
 * together.
 */
public final class ScheduledTime {
    private static final long FIRST_MILLIS = 100_000_000_000L;

    private ScheduledTime() {}

    /**
     * {@return the time that a document has stored; the epoch for none}
     *
     * @param stored milliseconds or seconds since 1970
     */
    public static Instant read(JsonNode stored) {
        return Instant.ofEpochMilli(millis(stored.asLong(0)));
    }

    /**
     * {@return a time as it is stored, in epoch ms}
     *
     * @param time the time
     * @throws IllegalArgumentException when JavaScript has no such time
     */
    public static long checkedMillis(Instant time) {
        if (!Schema.isTime(time)) {
            throw new IllegalArgumentException("scheduledTime is out of range: " + time);
        }
        return storable(time.toEpochMilli());
    }

    /**
     * {@return a time as it is stored, or the last that JavaScript has}
     *
     * @param time the time
     */
    public static long nearestMillis(Instant time) {
        return storable(Schema.nearestMillis(time));
    }

    /**
     * Writes a time in seconds, which others stored, in milliseconds.
     *
     * @param document the document, which is changed
     */
    public static void toMillis(ObjectNode document) {
        JsonNode stored = document.path(Field.SCHEDULED_TIME);
        if (isSeconds(stored.asLong(0))) {
            document.put(Field.SCHEDULED_TIME, millis(stored.asLong()));
        }
    }

    private static long millis(long stored) {
        return storable(isSeconds(stored) ? stored * 1000 : stored);
    }

    private static long storable(long millis) {
        return isSeconds(millis) ? 0 : millis;
    }

    private static boolean isSeconds(long number) {
        return number > 0 && number < FIRST_MILLIS;
    }
}
