package io.couchjobs.engine.due.share;

import io.couchjobs.engine.index.JobIndex;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The progress of this worker in reading only its share of a line. Other workers may leave jobs behind. So at the end
 * of the line, a window is read from the start with the jobs of all workers. Before the end, the worker looks for such
 * jobs every so many rows. Not thread-safe.
 */
public final class SegmentProgress {
    /** The number of rows after which a worker looks for jobs that other workers left behind. */
    private static final int FAR = 16_000;
    /** A worker that had no job in a window does not read ahead for this long. */
    private static final Duration BARREN = Duration.ofSeconds(1);

    private final int far;
    /** The rows read since this worker last looked at the jobs of all workers. */
    private int rows;

    private boolean hasPassedOthers;
    private boolean isOver;
    private @Nullable Long barrenNanos;
    private @Nullable Segments stretches;

    public SegmentProgress() {
        this(FAR);
    }

    /** Sets the number of rows after which the worker looks for jobs left behind. */
    public SegmentProgress(int far) {
        this.far = far;
    }

    /** Returns whether the next window must have the jobs of all workers. */
    public boolean isOver() {
        return isOver;
    }

    /** Returns whether it is time to look for jobs that other workers left behind. */
    public boolean isFar() {
        return rows >= far;
    }

    /** Notes that the worker looked for jobs left behind, and goes on from where it is. */
    public void lookedBehind() {
        rows = 0;
    }

    /** Returns whether jobs of other workers were skipped, so that an unshared window cannot go on from here. */
    public boolean hasPassedOthers() {
        return hasPassedOthers;
    }

    /** Returns whether the last window, a moment ago, had no job of this worker. */
    public boolean isBarren(long nanos) {
        return barrenNanos != null && nanos - barrenNanos < BARREN.toNanos();
    }

    /** Returns this worker's share, from where the last window ended or from the start. */
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

    /** Takes in a window with the jobs of all workers. */
    public void readAll() {
        rows = 0;
        hasPassedOthers = false;
        isOver = false;
        barrenNanos = null;
    }
}
