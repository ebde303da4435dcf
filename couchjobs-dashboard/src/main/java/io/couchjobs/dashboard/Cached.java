package io.couchjobs.dashboard;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is asked for once, however many people look at the same time, and kept for a moment: for as long as it is
 * told, but at least nine times as long as asking took, so that looking never takes more than a tenth of anybody's time.
 * Thread-safe.
 */
final class Cached<T> {
    private static final int SPARING = 9;

    private final Supplier<T> source;
    private final long nanos;
    private @Nullable T value;
    private long goodUntil;

    Cached(Duration time, Supplier<T> source) {
        this.source = source;
        this.nanos = time.toNanos();
    }

    synchronized T get() {
        T known = value;
        if (known == null || System.nanoTime() - goodUntil > 0) {
            long asked = System.nanoTime();
            known = source.get();
            long answered = System.nanoTime();
            value = known;
            goodUntil = answered + Math.max(nanos, SPARING * (answered - asked));
        }
        return known;
    }

    /** Forgets what is known, because somebody has just changed it. */
    synchronized void forget() {
        value = null;
    }
}
