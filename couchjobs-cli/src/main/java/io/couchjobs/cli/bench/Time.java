package io.couchjobs.cli.bench;

/** Converts differences of the monotonic clock. */
final class Time {
    private Time() {}

    static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }

    static double millis(long nanos) {
        return nanos / 1e6;
    }
}
