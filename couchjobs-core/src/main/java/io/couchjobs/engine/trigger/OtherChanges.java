package io.couchjobs.engine.trigger;

import io.couchjobs.couch.ChangesFeed;
import io.couchjobs.couch.ChangesFeed.Change;
import io.couchjobs.engine.time.Deadline;
import io.couchjobs.engine.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Reads further changes of a feed, while the changes already read wait to fill a batch. Used by one thread. */
final class OtherChanges {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration STREAMING = Duration.ofMillis(20);

    private final ChangesFeed feed;
    private final boolean listens;
    private final Deadline deadline;

    /** @param patience how long the changes may wait from now on */
    OtherChanges(ChangesFeed feed, boolean listens, Duration patience, Environment environment) {
        this.feed = feed;
        this.listens = listens;
        this.deadline = Deadline.after(environment, patience);
    }

    /**
     * Reads the next change; empty when none comes in time, or when the follower is to stop.
     *
     * @param changes the number of changes that were read before
     */
    Optional<Change> next(int changes, BooleanSupplier goesOn) {
        Optional<Change> next = feed.next(piece(patience(changes)));
        while (next.isEmpty() && !feed.isEnded() && deadline.nanosLeft() > 0 && changes > 0 && goesOn.getAsBoolean()) {
            next = feed.next(piece(deadline.left()));
        }
        return next;
    }

    private static Duration piece(Duration whole) {
        return whole.compareTo(TICK) < 0 ? whole : TICK;
    }

    /**
     * Returns how long to wait for the next change when a number of changes was read before. A feed that does not listen for new
     * changes gets a moment to reach its end.
     */
    private Duration patience(int changes) {
        Duration left = deadline.left();
        if (!listens && left.compareTo(STREAMING) < 0) {
            return STREAMING;
        } else if (changes == 0) {
            return Duration.ZERO;
        }
        return changes > 1 && left.compareTo(STREAMING) < 0 ? STREAMING : left;
    }
}
