package io.couchjobs.job;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How far a run has come. Immutable and thread-safe.
 *
 * @param percent 0 to 100; values outside are clamped
 * @param text what the run is at, or null
 */
public record Progress(int percent, @Nullable String text) {
    /**
     * Clamps the percentage.
     *
     * @param percent 0 to 100
     * @param text what the run is at, or null
     */
    public Progress {
        percent = Math.max(0, Math.min(100, percent));
    }

    /** {@return what the run is at, if it said so} */
    public Optional<String> message() {
        return Optional.ofNullable(text);
    }
}
