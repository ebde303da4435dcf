package io.couchjobs.engine.due.share;

import io.couchjobs.engine.document.Rev;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The time from a decision to claim until the feed reports that claim to this process. It estimates how soon the feed
 * would report another worker's claim. Not thread-safe.
 *
 * <p>Only one claim at a time is watched, so the measurement costs nothing. A claim that was not reported yet counts
 * with its age, since the delay grows while the feed is behind.
 */
public final class FeedDelay {
    private static final Duration FIRST_GUESS = Duration.ofMillis(50);
    /** A claim that was not reported within this time never will be. */
    private static final Duration LOST = Duration.ofSeconds(5);

    private double mean = FIRST_GUESS.toNanos();
    private double deviation = FIRST_GUESS.toNanos() / 5.0;
    private @Nullable String watched;
    private long generation;
    private long begunNanos;

    /** Notes that a job is about to be claimed. */
    public void begins(String docId, String rev, long nanos) {
        if (watched == null || nanos - begunNanos > LOST.toNanos()) {
            watched = docId;
            generation = Rev.generation(rev);
            begunNanos = nanos;
        }
    }

    /** Notes that the job was not claimed, or was claimed by another worker. */
    public void fails(String docId) {
        if (docId.equals(watched)) {
            watched = null;
        }
    }

    /** Takes in that the feed reports a document, in the revision of this number. */
    public void heard(String docId, long newGeneration, long nanos) {
        if (docId.equals(watched) && newGeneration > generation) {
            watched = null;
            // As TCP measures round trips (RFC 6298): reacts quickly to a longer delay.
            double sample = nanos - begunNanos;
            deviation += (Math.abs(sample - mean) - deviation) / 4;
            mean += (sample - mean) / (sample > mean ? 2 : 8);
        }
    }

    /** Returns an upper bound of the present delay, which holds most of the time. */
    Duration most(long nanos) {
        double usual = mean + 2 * deviation;
        return Duration.ofNanos((long) (watched == null ? usual : Math.max(usual, (double) (nanos - begunNanos))));
    }
}
