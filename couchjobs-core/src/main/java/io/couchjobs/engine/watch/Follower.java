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
 * <p>A feed may repeat events, rewind, and report older revisions. A state that is {@linkplain Snapshot#isLaterThan
 * later} is accepted. An earlier state is only a reason to read the document, off the feed's thread. If the document
 * that was read is older, too, it may come from a copy that lags behind: a second read must confirm it before it
 * counts. An end counts when a majority of the copies has it ({@link ConfirmedEnds}).
 */
abstract class Follower {
    private final JobId id;
    private final Object subscriber;
    /** Null until the job was read for the first time. */
    private @Nullable Snapshot known;
    /** The newest state that the feed reported before the first read. */
    private @Nullable Snapshot early;

    /** The revision of an end that was reported after a later state. */
    private @Nullable String doubted;

    private @Nullable JobPhase firstPhase;
    /** Whether the feed brought no newer state since a read began. */
    private boolean unchanged;

    private volatile Lane.@Nullable Planned nextReading;
    private volatile boolean isOpen;
    private volatile boolean over;
    /**
     * The number of threads that are about to open this follower. Changed only while {@link Followers} computes the
     * entry of this document.
     */
    private int opening;

    Follower(JobId id, Object subscriber) {
        this.id = id;
        this.subscriber = subscriber;
    }

    /** Takes in the first state of the job. Called once, under this object's lock. */
    abstract void opened(Snapshot first);

    /** Takes in a newer state of the job. Called in order, under this object's lock. */
    abstract void told(Snapshot news);

    /** Takes in that the queue was closed. */
    abstract void stop();

    final JobId jobId() {
        return id;
    }

    final Object subscriber() {
        return subscriber;
    }

    /** Returns whether this follower has ended. */
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

    /** Notes that a thread is about to open this follower. */
    final void beginOpening() {
        opening++;
    }

    /** {@return whether no thread has opened this follower, and none is about to} */
    final boolean endOpening() {
        opening--;
        return opening == 0 && !isOpen;
    }

    final boolean isOpen() {
        return isOpen;
    }

    /** Returns whether the first read found the job in this phase. If it found no job, no other caller has got this follower. */
    final synchronized boolean beganWith(JobPhase phase) {
        return firstPhase == phase;
    }

    final synchronized boolean knows(String rev) {
        return known != null && known.rev().equals(rev);
    }

    /**
     * Takes in the result of a read that began after this follower joined. Only the first result counts; then this
     * returns true.
     */
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

    /** Takes in a state from the feed. Returns false when the document must be read to be sure. */
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

    /** Notes that the document is about to be read. */
    final synchronized void expectReading() {
        unchanged = true;
    }

    /** Takes in a document that was read. Returns false when it must be read again to be sure. */
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
     * Takes in an end that a majority of the copies has. Returns false when a later state is known: the job may have
     * been added after the majority was asked, so it must be asked again. An end that the majority has both times
     * counts, whatever was reported before.
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

    /**
     * Returns whether an end is older than the known state. An end without a tombstone never counts as older: nobody
     * can tell when the job was removed.
     */
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
