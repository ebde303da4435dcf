package io.couchjobs.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far this worker has read only its share of a line. At the end of the line, and every so many rows before, a window is read
 * from its start with the jobs of all, since others may have left some behind. Not thread-safe.
 */
final class Sharing {
    /** So far a worker goes ahead of jobs that others leave behind. */
    private static final int FAR = 16_000;
    /** When a worker had nothing in a window, it looks for more in the next one after a while. */
    private static final Duration BARREN = Duration.ofSeconds(1);

    private int rows;
    private boolean isOver;
    private @Nullable Long barrenNanos;
    private @Nullable Stretches stretches;

    /** Whether the next window must have the jobs of all. */
    boolean isOver() {
        return isOver;
    }

    /** Whether jobs of others were passed by, which a window that is not shared cannot go on from. */
    boolean hasPassedOthers() {
        return rows > 0;
    }

    /** Whether this worker had nothing in the last window, and that was just now. */
    boolean isBarren(long nanos) {
        return barrenNanos != null && nanos - barrenNanos < BARREN.toNanos();
    }

    /** This worker's share, from where the last window ended or from the start. */
    Stretches stretches(Peers peers, String type, boolean goesOn) {
        if (stretches == null || !goesOn) {
            stretches = new Stretches(peers, type);
        }
        return stretches;
    }

    /** Takes in what a window of only this worker's share had. */
    void readShare(JobIndex.Window window, int rowsRead, long nanos) {
        rows += rowsRead;
        isOver = window.complete() || rows >= FAR;
        barrenNanos = window.jobs().isEmpty() ? nanos : null;
    }

    /** Takes in that a window was read with the jobs of all. */
    void readAll() {
        rows = 0;
        isOver = false;
        barrenNanos = null;
    }
}
