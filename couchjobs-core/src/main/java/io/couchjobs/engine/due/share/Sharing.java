package io.couchjobs.engine.due.share;

import io.couchjobs.engine.index.JobIndex;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far this worker has read only its share of a line. At the end of the line a window is read from its start with the jobs of
 * all, since others may have left some behind; and every so many rows before, the worker looks behind. Not thread-safe.
 */
public final class Sharing {
    /** So far a worker goes ahead of jobs that others leave behind. */
    private static final int FAR = 16_000;
    /** When a worker had nothing in a window, it looks for more in the next one after a while. */
    private static final Duration BARREN = Duration.ofSeconds(1);

    private final int far;
    /** Since this worker last looked at the jobs of all. */
    private int rows;

    private boolean hasPassedOthers;
    private boolean isOver;
    private @Nullable Long barrenNanos;
    private @Nullable Stretches stretches;

    public Sharing() {
        this(FAR);
    }

    /** One that goes ahead so many jobs. */
    public Sharing(int far) {
        this.far = far;
    }

    /** Whether the next window must have the jobs of all. */
    public boolean isOver() {
        return isOver;
    }

    /** Whether it is time to look for jobs that others left behind. */
    public boolean isFar() {
        return rows >= far;
    }

    /** They were looked for, and the worker goes on from where it is. */
    public void lookedBehind() {
        rows = 0;
    }

    /** Whether jobs of others were passed by, which a window that is not shared cannot go on from. */
    public boolean hasPassedOthers() {
        return hasPassedOthers;
    }

    /** Whether this worker had nothing in the last window, and that was just now. */
    public boolean isBarren(long nanos) {
        return barrenNanos != null && nanos - barrenNanos < BARREN.toNanos();
    }

    /** This worker's share, from where the last window ended or from the start. */
    public Stretches stretches(Peers peers, String type, boolean goesOn) {
        if (stretches == null || !goesOn) {
            stretches = new Stretches(peers, type);
        }
        return stretches;
    }

    /** Takes in what a window of only this worker's share had. */
    public void readShare(JobIndex.Window window, int rowsRead, long nanos) {
        rows += rowsRead;
        hasPassedOthers = true;
        isOver = window.complete();
        barrenNanos = window.jobs().isEmpty() ? nanos : null;
    }

    /** Takes in that a window was read with the jobs of all. */
    public void readAll() {
        rows = 0;
        hasPassedOthers = false;
        isOver = false;
        barrenNanos = null;
    }
}
