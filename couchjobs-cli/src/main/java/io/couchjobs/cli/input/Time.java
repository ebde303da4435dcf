package io.couchjobs.cli.input;

import java.time.Instant;
import java.time.ZoneId;

/**
 * A TIME of an option. A TIME that counts from now uses the server's clock, which is known only when the queue is open.
 *
 * @param text as {@link Times} reads it
 */
public record Time(String text) {
    /**
     * Checks the text.
     *
     * @param text as {@link Times} reads it
     * @throws IllegalArgumentException when the text is not a TIME; the message names the text
     */
    public Time {
        read(text, Instant.EPOCH);
    }

    /**
     * Reads the time.
     *
     * @param now the time from which a DURATION is counted
     * @return the time
     */
    public Instant from(Instant now) {
        return read(text, now);
    }

    private static Instant read(String text, Instant now) {
        return new Times(() -> now, ZoneId.systemDefault()).parse(text);
    }
}
