package io.couchjobs.engine.watch;

import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.JobId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of jobs that the feed brought and a listener was not told yet, only the newest of each job. Bounded in
 * jobs and in bytes: a listener that is slow for too long misses the oldest changes. When it has caught up, there is a
 * gap. Thread-safe.
 */
final class Mailbox {
    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);

    private final int most;
    private final long mostBytes;
    private final Map<JobId, Snapshot> letters = new LinkedHashMap<>();
    private long bytes;
    private long droppedInBurst;
    private boolean gap;
    private boolean closed;

    Mailbox(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** Notes that changes may have been missed. */
    synchronized void putGap() {
        gap = !closed;
    }

    /**
     * Adds a change. It replaces the present change of the same job, unless that is later. An end that a majority of
     * the copies has replaces anything but a later end.
     */
    synchronized void put(Snapshot news) {
        Snapshot present = letters.get(news.id());
        if (closed || (present != null && stays(present, news))) {
            return;
        }
        bytes += news.size() - (present == null ? 0 : present.size());
        letters.put(news.id(), news);
        while (letters.size() > most || (bytes > mostBytes && letters.size() > 1)) {
            drop();
        }
    }

    /** Returns whether changes may have been missed since the last call. */
    synchronized boolean takeGap() {
        boolean found = gap;
        gap = false;
        return found;
    }

    /** Returns whether {@link #takeGap} would return true. */
    synchronized boolean hasGap() {
        return gap;
    }

    /** Takes the oldest change; empty when there is none. */
    synchronized Optional<Snapshot> take() {
        if (letters.isEmpty()) {
            caughtUp();
            return Optional.empty();
        }
        return Optional.of(removeOldest());
    }

    synchronized void close() {
        closed = true;
        letters.clear();
        gap = false;
    }

    /** Returns whether the present state stays. The state that a majority had when it was asked may be old by now. */
    private static boolean stays(Snapshot present, Snapshot news) {
        boolean isSureEnd = news.isConfirmed() && news.isEnd();
        return present.isLaterThan(news) && (present.isEnd() || !isSureEnd);
    }

    private void drop() {
        Snapshot oldest = removeOldest();
        if (droppedInBurst++ == 0) {
            log.warn(
                    "a listener is too slow: the oldest changes that it has not been told are dropped, that of {} first; {} are kept",
                    oldest.id(),
                    letters.size());
        }
    }

    private void caughtUp() {
        if (droppedInBurst > 0) {
            log.warn("a listener that was too slow has caught up; it missed changes of {} jobs", droppedInBurst);
            droppedInBurst = 0;
            gap = true;
        }
    }

    private Snapshot removeOldest() {
        Snapshot oldest = letters.remove(letters.keySet().iterator().next());
        bytes -= oldest.size();
        return oldest;
    }
}
