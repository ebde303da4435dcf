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
 * The known pending jobs of one type: a window of the oldest, and the parts of the indexes by lanes that were read when
 * the window did not hold all due jobs. Not thread-safe.
 */
final class KnownJobs {
    private static final Duration DOUBT_COSTLY = Duration.ofMinutes(10);
    private static final Duration WITHOUT_INDEX = Duration.ofMinutes(1);
    /** Up to so many rows are read again at every doubt. */
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
    /** How often the index by groups had been too much to remember when the present look began. */
    private long overflows;

    KnownJobs() {
        this(new SegmentProgress());
    }

    /** A stock shared with other workers in that way. */
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

    /** Sets the admission rules from now on; jobs that were left out before are looked at again. */
    void admit(Admission.Rules now) {
        if (!now.equals(rules)) {
            rules = now;
            scans.values().forEach(Scan::forget);
        }
    }

    Scan scan(LaneKey.Order order) {
        return scans.computeIfAbsent(order, Scan::new);
    }

    /** A look for jobs begins. It reads the index by groups until that is too much to remember; the next look goes on. */
    void beginLook() {
        overflows = presentOverflows();
    }

    private long presentOverflows() {
        Scan byGroups = scans.get(LaneKey.Order.TURNS);
        return byGroups == null ? 0 : byGroups.overflows();
    }

    /** Jobs are looked for in that order. */
    void usedFor(Strategy strategy) {
        isChosenFrom |= strategy.kind() != Strategy.Kind.FIFO;
    }

    /**
     * Whether the documents of all changed jobs are needed: unless simply the oldest are taken, the indexes by lanes
     * are used too.
     */
    boolean needsDocuments() {
        return isChosenFrom || !rules.takeAll() || !scans.isEmpty();
    }

    /** A job of this type changed and was not read. */
    void unread(FeedNotice notice, long nanos) {
        refresh.moved(nanos);
        scans.values().forEach(scan -> scan.unread(notice.docId(), notice.mayBePending()));
        backlog.unread(notice.docId(), notice.rev(), notice.mayBePending());
    }

    /** Whether the window may lack due jobs, and the index by lanes can be read and remembered. */
    boolean needsScan(Instant until, long nanos) {
        broken = broken && nanos - brokenNanos < WITHOUT_INDEX.toNanos();
        return !broken && overflows == presentOverflows() && !backlog.knowsAllDue(until);
    }

    /** The index does not answer: only the window is used for a while. */
    void isBroken(long nanos) {
        broken = true;
        brokenNanos = nanos;
    }

    /** The due jobs of the window that are admitted. */
    List<Job> known(Instant until, int most, Predicate<Job> admitted) {
        return backlog.due(until, most, admitted);
    }

    /** A job that was taken out is there again, unless something newer is. */
    void putBack(Job job) {
        scans.values().forEach(scan -> scan.putBack(job));
        backlog.putBack(job);
    }

    /** A job of this line changed; true when it may be claimed now or later. */
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

    /** A job is not there any more: an index that is being read must not bring it back. */
    void gone(String docId) {
        remove(docId);
        markMoved(docId);
    }

    void removeAll(Collection<Job> taken) {
        taken.forEach(job -> gone(job.id().docId()));
    }

    /** An index that is being read may still know it as it was before. */
    void markMoved(String docId) {
        scans.values().forEach(scan -> scan.markMoved(docId));
        backlog.markMoved(docId);
    }

    /** The index must be read before the stock counts as empty; expensive parts are read again rarely. */
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
