package io.couchjobs.dashboard.view;

import java.time.Duration;

/** Writes durations for people. */
public final class DurationText {
    private DurationText() {}

    /**
     * Writes a duration: its largest unit and the one below, rounded down.
     *
     * @param duration zero or more
     * @return such as {@code "5s"}, {@code "1.5s"}, {@code "2m5s"}, {@code "12m"} or {@code "3d"}
     */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis == 0 ? "0s" : millis + "ms";
        } else if (millis < 60_000) {
            long tenth = millis % 1_000 / 100;
            return millis / 1_000 + (tenth == 0 ? "" : "." + tenth) + "s";
        } else if (duration.toHours() < 1) {
            return two(duration.toMinutes(), "m", duration.toSecondsPart(), "s");
        } else if (duration.toHours() < 48) {
            return two(duration.toHours(), "h", duration.toMinutesPart(), "m");
        }
        return two(duration.toDays(), "d", duration.toHoursPart(), "h");
    }

    private static String two(long large, String unit, int small, String below) {
        return large + unit + (small == 0 ? "" : small + below);
    }
}
