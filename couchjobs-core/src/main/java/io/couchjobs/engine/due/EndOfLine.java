package io.couchjobs.engine.due;

import io.couchjobs.couch.ViewQuery.Update;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When the end of a line is reached that is known from an index which was not up to date: whether it is time to have that brought
 * up to date. It costs the server most just after very much was run, and takes from what is still to be finished. So it comes when
 * nothing of the line has been taken, or has changed, for half a second, or after five. Not thread-safe.
 */
final class EndOfLine {
    private static final Duration REST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private boolean isOld;
    private boolean isMore;
    private @Nullable Long movedNanos;
    private @Nullable Long reachedNanos;

    /** Jobs were taken out of the line here, or one of it was changed by somebody. */
    void moved(long nanos) {
        movedNanos = nanos;
    }

    /** There is a job that the index may not know: nothing is waited for. */
    void heardOfMore() {
        isMore = true;
    }

    /** Whether there is such a job. */
    boolean isMore() {
        return isMore;
    }

    /** A window is about to be read, and the index brought up to date before it, behind it or not at all. */
    void reads(Update update) {
        isOld = update != Update.TRUE;
        isMore &= update == Update.FALSE;
        reachedNanos = null;
    }

    /**
     * Whether the index may be read now, for there is nothing left that is known.
     *
     * @param nanos the time
     * @param othersIdle for how long nobody else took a job
     */
    boolean isTimeToRead(long nanos, long othersIdle) {
        if (!isOld || isMore) {
            return true;
        }
        reachedNanos = reachedNanos == null ? Long.valueOf(nanos) : reachedNanos;
        long idle = movedNanos == null ? othersIdle : Math.min(othersIdle, nanos - movedNanos);
        return idle >= REST.toNanos() || nanos - reachedNanos >= LONGEST.toNanos();
    }
}
