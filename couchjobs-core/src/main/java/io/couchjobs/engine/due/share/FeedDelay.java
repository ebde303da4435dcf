package io.couchjobs.engine.due.share;

import io.couchjobs.engine.document.Rev;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time from a decision to claim until this process hears of that claim by its feed: an estimate of how soon it
 * would hear of another's. Not thread-safe.
 *
 * <p>One claim at a time is watched, so this costs nothing. A claim that is not heard of yet counts with its age, since
 * the lag grows while the feed is behind.
 */
public final class FeedDelay {
    private static final Duration FIRST_GUESS = Duration.ofMillis(50);
    /** A claim that was not heard of by then never will be. */
    private static final Duration LOST = Duration.ofSeconds(5);

    private double mean = FIRST_GUESS.toNanos();
    private double deviation = FIRST_GUESS.toNanos() / 5.0;
    private @Nullable String watched;
    private long generation;
    private long begunNanos;

    /** A job is to be claimed. */
    public void begins(String docId, String rev, long nanos) {
        if (watched == null || nanos - begunNanos > LOST.toNanos()) {
            watched = docId;
            generation = Rev.generation(rev);
            begunNanos = nanos;
        }
    }

    /** The job was not claimed, or was claimed by others. */
    public void fails(String docId) {
        if (docId.equals(watched)) {
            watched = null;
        }
    }

    /** The feed tells of a document in the revision of that number. */
    public void heard(String docId, long newGeneration, long nanos) {
        if (docId.equals(watched) && newGeneration > generation) {
            watched = null;
            // As TCP measures round trips (RFC 6298): reacts quickly to a longer lag.
            double sample = nanos - begunNanos;
            deviation += (Math.abs(sample - mean) - deviation) / 4;
            mean += (sample - mean) / (sample > mean ? 2 : 8);
        }
    }

    /** An upper bound of the present lag, most of the time. */
    Duration most(long nanos) {
        double usual = mean + 2 * deviation;
        return Duration.ofNanos((long) (watched == null ? usual : Math.max(usual, (double) (nanos - begunNanos))));
    }
}
