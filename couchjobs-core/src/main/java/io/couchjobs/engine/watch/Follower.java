package io.couchjobs.engine.watch;

import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Follows one job through its revisions. Thread-safe.
 *
 * <p>A feed may repeat, rewind and tell of older revisions. A state that is later in the {@linkplain Snapshot#isLaterThan story} of
 * the job is taken; an earlier one is only a reason to read the document, off the feed's thread. If the reading is
 * older, too, it may come from a copy that lags behind: a second reading must confirm it before it counts. An end
 * counts when a majority of the copies has it ({@link ConfirmedEnds}).
 */
abstract class Follower {
    private final JobId id;
    private final Object subscriber;
    /** Null until the job was read for the first time. */
    private @Nullable Snapshot known;
    /** The newest state that the feed told before that. */
    private @Nullable Snapshot early;

    /** The revision of an end that was told after a later state. */
    private @Nullable String doubted;

    private @Nullable JobPhase firstPhase;
    /** Whether the feed brought no newer state since a reading began. */
    private boolean unchanged;

    private volatile Lane.@Nullable Planned nextReading;
    private volatile boolean isOpen;
    private volatile boolean over;
    /** How many threads are about to open it. Changed only while {@link Followers} computes the entry of this document. */
    private int opening;

    Follower(JobId id, Object subscriber) {
        this.id = id;
        this.subscriber = subscriber;
    }

    /** The first state of the job. Called once, under this object's lock. */
    abstract void opened(Snapshot first);

    /** A newer state of the job. Called in order, under this object's lock. */
    abstract void told(Snapshot news);

    /** The queue was closed. */
    abstract void stop();

    final JobId jobId() {
        return id;
    }

    final Object subscriber() {
        return subscriber;
    }

    /** Whether the following has ended. */
    final boolean isOver() {
        return over;
    }

    final void end() {
        over = true;
    }

    final void planned(Lane.Planned reading) {
        nextReading = reading;
    }

    final void cancelReading() {
        Lane.Planned reading = nextReading;
        if (reading != null) {
            reading.cancel();
        }
    }

    /** A thread is about to open it. */
    final void beginOpening() {
        opening++;
    }

    /** {@return whether no thread has opened it, and none is about to} */
    final boolean endOpening() {
        opening--;
        return opening == 0 && !isOpen;
    }

    final boolean isOpen() {
        return isOpen;
    }

    /**
     * Whether the first reading found the job in this phase. If it found no job, no other caller has got this follower.
     */
    final synchronized boolean beganWith(JobPhase phase) {
        return firstPhase == phase;
    }

    final synchronized boolean knows(String rev) {
        return known != null && known.rev().equals(rev);
    }

    /** Takes in the result of a reading that began after the following. Only the first one counts: then this is true. */
    final synchronized boolean open(Snapshot first) {
        if (known != null) {
            return false;
        }
        Snapshot heard = early != null && early.isLaterThan(first) ? early : first;
        early = null;
        // A copy that lags behind may not have the job yet.
        Snapshot begin = first.isEnd() ? heard : first;
        known = begin;
        firstPhase = begin.phase();
        opened(begin);
        if (heard != begin) {
            take(heard);
        }
        isOpen = true;
        return true;
    }

    /** Takes in a state from the feed. False when the document must be read to be sure. */
    final synchronized boolean hears(Snapshot news) {
        if (known == null) {
            early = early == null || news.isLaterThan(early) ? news : early;
            return true;
        }
        if (news.isLaterThan(known)) {
            take(news);
            return true;
        }
        return news.rev().equals(known.rev());
    }

    /** The document is going to be read. */
    final synchronized void expectReading() {
        unchanged = true;
    }

    /** Takes in a reading of the document. False when it must be read again to be sure. */
    final synchronized boolean reads(Snapshot found, boolean confirmed) {
        if (known == null || known.rev().equals(found.rev())) {
            return true;
        }
        if (found.isLaterThan(known) || (unchanged && confirmed)) {
            take(found);
            return true;
        }
        return !unchanged;
    }

    /**
     * Takes in the end that a majority of the copies has. False when a later state is known: the job may have been added
     * after the majority was asked, so it must be asked again. An end that the majority has both times counts, whatever was
     * told before.
     *
     * @param lastWords how the job ended before it was removed
     */
    final synchronized boolean isSureOf(Snapshot end, Optional<Snapshot> lastWords) {
        if (isOlderThanKnown(end) && !end.rev().equals(doubted)) {
            doubted = end.rev();
            return false;
        }
        lastWords.ifPresent(this::takeSure);
        takeSure(end);
        return true;
    }

    /** Nobody can tell when a job without a tombstone was removed. */
    private boolean isOlderThanKnown(Snapshot end) {
        return known != null && known.isLaterThan(end) && !end.rev().isEmpty();
    }

    private void takeSure(Snapshot news) {
        if (known == null) {
            early = news;
        } else if (!known.rev().equals(news.rev()) || known.phase() != news.phase()) {
            take(news);
        }
    }

    private void take(Snapshot news) {
        known = news;
        doubted = null;
        unchanged = false;
        if (!over) {
            told(news);
        }
    }
}
