package io.couchjobs.engine.due;

import io.couchjobs.couch.ViewQuery.Update;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a stale index is brought up to date, after a line was read to its end. The update costs the server most
 * just after very many runs, and slows down the jobs that have yet to finish. So the index is updated when no job of
 * the line was taken or changed for half a second, or after five seconds. Not thread-safe.
 */
final class RefreshTiming {
    private static final Duration REST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private boolean isOld;
    private boolean isMore;
    private @Nullable Long movedNanos;
    private @Nullable Long reachedNanos;

    /** Notes that jobs of the line were taken out here, or that one of them was changed elsewhere. */
    void moved(long nanos) {
        movedNanos = nanos;
    }

    /** Notes that the index may lack a job: it is read without a wait. */
    void heardOfMore() {
        isMore = true;
    }

    /** Returns whether the index may lack a job. */
    boolean isMore() {
        return isMore;
    }

    /**
     * Notes that a window is about to be read.
     *
     * @param update whether the index is updated before the read, after it or not at all
     */
    void reads(Update update) {
        isOld = update != Update.TRUE;
        isMore &= update == Update.FALSE;
        reachedNanos = null;
    }

    /**
     * Returns whether the index may be read now, when no known job is left.
     *
     * @param othersIdle how long no other worker took a job, in nanoseconds
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
