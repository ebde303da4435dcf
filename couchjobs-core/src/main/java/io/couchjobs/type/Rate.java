package io.couchjobs.type;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The rate limit of a type: how many jobs all workers together may start in each time window. Windows are adjacent and begin at
 * multiples of their length since 1970, by the server's time. Immutable and thread-safe.
 *
 * @param starts the number of starts per window, at least 1
 * @param window the length of a window, from a second to a day, in whole milliseconds
 */
public record Rate(int starts, Duration window) {
    private static final String STARTS = "starts";
    private static final String WINDOW = "window";
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Checks the numbers.
     *
     * @param starts the number of starts per window
     * @param window the length of a window
     * @throws IllegalArgumentException when a number is out of range
     */
    public Rate {
        if (starts < 1) {
            throw new IllegalArgumentException("a rate must be of at least 1 start: " + starts);
        }
        if (window.compareTo(SHORTEST) < 0 || window.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("the window of a rate must be from 1 s to 1 day: " + window);
        }
    }

    /** Reads the rate in a settings document. Returns empty for an invalid value, because people edit settings too. */
    static Optional<Rate> parse(JsonNode json) {
        JsonNode starts = json.path(STARTS);
        JsonNode window = json.path(WINDOW);
        if (!starts.isInt() || !window.isIntegralNumber() || !window.canConvertToInt()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Rate(starts.intValue(), Duration.ofMillis(window.intValue())));
        } catch (IllegalArgumentException outOfRange) {
            return Optional.empty();
        }
    }

    /** Returns the rate in the format of a settings document. */
    JsonNode toJson() {
        return JsonNodeFactory.instance.objectNode().put(STARTS, starts).put(WINDOW, window.toMillis());
    }

    /**
     * {@return the start of the window that contains a time, in epoch ms}
     *
     * @param time the time
     */
    public long windowOf(Instant time) {
        return Math.floorDiv(time.toEpochMilli(), window.toMillis()) * window.toMillis();
    }

    /** {@return the number of starts reserved at once: a tenth of the rate, at least 1, to save requests and waste few starts} */
    public int chunk() {
        return Math.max(1, starts / 10);
    }
}
