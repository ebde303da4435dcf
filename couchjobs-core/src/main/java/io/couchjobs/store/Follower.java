package io.couchjobs.store;

import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import org.jspecify.annotations.Nullable;

/**
 * Follows one job through its revisions, whatever the feed makes of them. Thread-safe.
 *
 * <p>A feed may repeat, rewind and tell of older revisions. What is newer than the known revision is taken; what is not is
 * only a reason to read the document, off the feed's thread. A reading that is older than the known revision, too, may come
 * from a copy that lags behind: it must be confirmed by a second one before it counts.
 */
abstract class Follower {
    private final JobId id;
    private final Object subscriber;
    /** Null until the job was read for the first time. */
    private @Nullable Snapshot known;
    /** The newest that the feed told before that. */
    private @Nullable Snapshot early;

    private @Nullable JobState firstState;
    /** Whether the feed brought nothing newer since a reading began. */
    private boolean unchanged;

    private volatile boolean over;

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

    /** Nothing is to be told any more. */
    final boolean isOver() {
        return over;
    }

    final void end() {
        over = true;
    }

    final synchronized boolean isOpen() {
        return known != null;
    }

    /** Whether this is the state that the first reading found; nobody else has seen what began as not found. */
    final synchronized boolean beganWith(JobState state) {
        return firstState == state;
    }

    final synchronized boolean knows(String rev) {
        return known != null && known.rev().equals(rev);
    }

    /** What a reading that began after the following did came to. Only the first one counts. */
    final synchronized void open(Snapshot first) {
        if (known != null) {
            return;
        }
        Snapshot heard = early != null && early.generation() > first.generation() ? early : first;
        early = null;
        // A copy that lags behind may not have the job yet.
        Snapshot begin = first.isEnd() ? heard : first;
        known = begin;
        firstState = begin.state();
        opened(begin);
        if (heard != begin) {
            take(heard);
        }
    }

    /** What the feed says. False when the document must be read to know. */
    final synchronized boolean hears(Snapshot news) {
        if (known == null) {
            early = early == null || news.generation() > early.generation() ? news : early;
            return true;
        }
        if (news.generation() > known.generation()) {
            take(news);
            return true;
        }
        return news.rev().equals(known.rev());
    }

    /** The document is going to be read. */
    final synchronized void expectReading() {
        unchanged = true;
    }

    /** What the document says. False when it must be read again to be sure. */
    final synchronized boolean reads(Snapshot found, boolean confirmed) {
        if (known == null || known.rev().equals(found.rev())) {
            return true;
        }
        if (found.generation() > known.generation() || (unchanged && confirmed)) {
            take(found);
            return true;
        }
        return !unchanged;
    }

    private void take(Snapshot news) {
        known = news;
        unchanged = false;
        if (!over) {
            told(news);
        }
    }
}
