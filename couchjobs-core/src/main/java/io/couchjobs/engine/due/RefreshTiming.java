package io.couchjobs.engine.due;

import io.couchjobs.couch.ViewQuery.Update;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides, at the end of a line that was read from a stale index, whether it is time to have the index brought up to
 * date. That costs the server most just after very many runs, and slows down jobs that are still to be finished. So it
 * is done when no job of the line was taken or changed for half a second, or after five seconds. Not thread-safe.
 */
final class RefreshTiming {
    private static final Duration REST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private boolean isOld;
    private boolean isMore;
    private @Nullable Long movedNanos;
    private @Nullable Long reachedNanos;

    /** Jobs of the line were taken out here, or one of them was changed elsewhere. */
    void moved(long nanos) {
        movedNanos = nanos;
    }

    /** There is a job that the index may not have: the index is read without a wait. */
    void heardOfMore() {
        isMore = true;
    }

    /** Whether there is a job that the index may not have. */
    boolean isMore() {
        return isMore;
    }

    /** A window is about to be read, and the index is updated before it, after it or not at all. */
    void reads(Update update) {
        isOld = update != Update.TRUE;
        isMore &= update == Update.FALSE;
        reachedNanos = null;
    }

    /**
     * Whether the index may be read now, when no known job is left.
     *
     * @param othersIdle for how long no other worker took a job
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
