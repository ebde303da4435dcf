package io.couchjobs.engine.due;

import io.couchjobs.engine.due.share.SegmentProgress;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.engine.limit.Admission;
import io.couchjobs.job.Job;
import io.couchjobs.job.Strategy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The known pending jobs of one line: a window of the oldest jobs, and the parts of the indexes by lanes that were read
 * because the window did not hold all due jobs. Not thread-safe.
 */
final class KnownJobs {
    private static final Duration DOUBT_COSTLY = Duration.ofMinutes(10);
    private static final Duration WITHOUT_INDEX = Duration.ofMinutes(1);
    /** A scan of at most so many rows is read again after every {@link #doubt}. */
    private static final int CHEAP = 5_000;

    private final DueWindow backlog = new DueWindow();
    private final Paging paging = new Paging();
    private final SegmentProgress sharing;
    private final RefreshTiming refresh = new RefreshTiming();
    private final Map<LaneKey.Order, Scan> scans = new EnumMap<>(LaneKey.Order.class);
    private Admission.Rules rules = Admission.Rules.ALL;
    private long doubtedNanos = Long.MIN_VALUE;
    private long brokenNanos;
    private boolean broken;
    private boolean isChosenFrom;
    /** How often the index by groups had been too large to remember when the present search began. */
    private long overflows;

    KnownJobs() {
        this(new SegmentProgress());
    }

    /** @param sharing this worker's progress through its share of the line */
    KnownJobs(SegmentProgress sharing) {
        this.sharing = sharing;
    }

    DueWindow backlog() {
        return backlog;
    }

    Paging paging() {
        return paging;
    }

    SegmentProgress sharing() {
        return sharing;
    }

    RefreshTiming endOfLine() {
        return refresh;
    }

    Admission.Rules rules() {
        return rules;
    }

    /** Sets the admission rules. When the rules change, jobs that were left out before are considered again. */
    void admit(Admission.Rules now) {
        if (!now.equals(rules)) {
            rules = now;
            scans.values().forEach(Scan::forget);
        }
    }

    Scan scan(LaneKey.Order order) {
        return scans.computeIfAbsent(order, Scan::new);
    }

    /**
     * Begins a search for jobs. A search reads the index by groups until it is too large to remember; the next search
     * goes on.
     */
    void beginLook() {
        overflows = presentOverflows();
    }

    private long presentOverflows() {
        Scan byGroups = scans.get(LaneKey.Order.TURNS);
        return byGroups == null ? 0 : byGroups.overflows();
    }

    /** Notes the order in which a search looks for jobs. */
    void usedFor(Strategy strategy) {
        isChosenFrom |= strategy.kind() != Strategy.Kind.FIFO;
    }

    /**
     * Returns whether the documents of all changed jobs are needed. They are needed for the indexes by lanes, which are
     * used unless a worker simply takes the oldest jobs.
     */
    boolean needsDocuments() {
        return isChosenFrom || !rules.takeAll() || !scans.isEmpty();
    }

    /** Takes in a change of a job of this type that was not read. */
    void unread(FeedNotice notice, long nanos) {
        refresh.moved(nanos);
        scans.values().forEach(scan -> scan.unread(notice.docId(), notice.mayBePending()));
        backlog.unread(notice.docId(), notice.rev(), notice.mayBePending());
    }

    /** Returns whether the window may lack due jobs, and the index by lanes can be read and remembered. */
    boolean needsScan(Instant until, long nanos) {
        broken = broken && nanos - brokenNanos < WITHOUT_INDEX.toNanos();
        return !broken && overflows == presentOverflows() && !backlog.knowsAllDue(until);
    }

    /** Notes that the index by lanes does not answer: for a minute only the window is used. */
    void isBroken(long nanos) {
        broken = true;
        brokenNanos = nanos;
    }

    /** Returns the due jobs of the window that are admitted. */
    List<Job> known(Instant until, int most, Predicate<Job> admitted) {
        return backlog.due(until, most, admitted);
    }

    /** Puts back a job that was taken out, unless a newer state of the job is known. */
    void putBack(Job job) {
        scans.values().forEach(scan -> scan.putBack(job));
        backlog.putBack(job);
    }

    /** Takes in a changed job of this line, and returns whether it may be claimed now or later. */
    boolean changed(Job job, long nanos) {
        refresh.moved(nanos);
        scans.values().forEach(scan -> scan.changed(job));
        boolean isPending = backlog.changed(job);
        if (isPending) {
            refresh.heardOfMore();
        }
        return isPending;
    }

    void remove(String docId) {
        scans.values().forEach(scan -> scan.remove(docId));
        backlog.remove(docId);
    }

    /** Removes a job that is gone, and ensures that an index being read does not bring it back. */
    void gone(String docId) {
        remove(docId);
        markMoved(docId);
    }

    void removeAll(Collection<Job> taken) {
        taken.forEach(job -> gone(job.id().docId()));
    }

    /** Notes that an index being read may still have the former state of a job. */
    void markMoved(String docId) {
        scans.values().forEach(scan -> scan.markMoved(docId));
        backlog.markMoved(docId);
    }

    /**
     * Requires a read of the index before the known jobs count as empty. Scans of many rows are read again every ten
     * minutes at most.
     */
    void doubt(long nanos) {
        boolean seldom = doubtedNanos == Long.MIN_VALUE || nanos - doubtedNanos > DOUBT_COSTLY.toNanos();
        for (Scan scan : scans.values()) {
            if (seldom || scan.cost() <= CHEAP) {
                scan.doubt();
            }
        }
        doubtedNanos = seldom ? nanos : doubtedNanos;
        backlog.doubt();
    }

    void forget() {
        broken = false;
        scans.values().forEach(Scan::forget);
        backlog.forget();
    }
}
