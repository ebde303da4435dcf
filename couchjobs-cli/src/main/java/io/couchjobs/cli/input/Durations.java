package io.couchjobs.cli.input;

import io.couchjobs.dashboard.view.DurationText;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes a DURATION of the command line: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 1d}, or
 * {@code 1h30m}.
 */
public final class Durations {
    private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
    private static final int LONGEST_TEXT = 100;
    private static final Duration LONGEST = Duration.ofDays(1_000_000);

    private Durations() {}

    /**
     * Reads a duration.
     *
     * @param text such as {@code "30s"}
     * @return the duration, zero to a million days
     * @throws IllegalArgumentException when the text is not a DURATION; the message names the text
     */
    public static Duration parse(String text) {
        Duration sum = Duration.ZERO;
        Matcher part = PART.matcher(text);
        int end = 0;
        while (text.length() <= LONGEST_TEXT && part.lookingAt()) {
            sum = sum.plus(of(Long.parseLong(part.group(1)), part.group(2)));
            end = part.end();
            part.region(end, text.length());
        }
        if (end == 0 || end < text.length()) {
            throw new IllegalArgumentException(
                    "not a duration: '" + text + "' (give a number and a unit: 500ms, 30s, 5m, 2h, 1d)");
        } else if (sum.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "not a duration: '" + text + "' (it is longer than " + format(LONGEST) + ")");
        }
        return sum;
    }

    /**
     * Writes a duration for people: its largest unit and the one below, rounded down.
     *
     * @param duration zero or more
     * @return such as {@code "5s"}, {@code "1.5s"}, {@code "2m5s"}, {@code "12m"} or {@code "3d"}
     */
    public static String format(Duration duration) {
        return DurationText.of(duration);
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }
}
