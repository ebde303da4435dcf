package io.couchjobs.engine.due.share;

import io.couchjobs.engine.index.JobIndex;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far this worker has read only its share of a line. At the end of the line a window is read from its start with
 * the jobs of all workers, since some may be left behind; and every so many rows before, the worker looks for such
 * jobs. Not thread-safe.
 */
public final class SegmentProgress {
    /** The number of rows after which a worker looks for jobs that others left behind. */
    private static final int FAR = 16_000;
    /** A worker that had no job in a window does not read ahead for this long. */
    private static final Duration BARREN = Duration.ofSeconds(1);

    private final int far;
    /** The rows read since this worker last looked at the jobs of all. */
    private int rows;

    private boolean hasPassedOthers;
    private boolean isOver;
    private @Nullable Long barrenNanos;
    private @Nullable Segments stretches;

    public SegmentProgress() {
        this(FAR);
    }

    /** Looks for jobs left behind after so many rows. */
    public SegmentProgress(int far) {
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

    /** Jobs left behind were looked for, and the worker goes on from where it is. */
    public void lookedBehind() {
        rows = 0;
    }

    /** Whether jobs of others were skipped, so that an unshared window cannot go on from here. */
    public boolean hasPassedOthers() {
        return hasPassedOthers;
    }

    /** Whether this worker had no job in the last window, a moment ago. */
    public boolean isBarren(long nanos) {
        return barrenNanos != null && nanos - barrenNanos < BARREN.toNanos();
    }

    /** This worker's share, from where the last window ended or from the start. */
    public Segments stretches(WorkerRanking ranking, String type, boolean goesOn) {
        if (stretches == null || !goesOn) {
            stretches = new Segments(ranking, type);
        }
        return stretches;
    }

    /** Takes in a window with only this worker's share. */
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
