package io.couchjobs.engine.due;

import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.index.LaneKey;
import io.couchjobs.job.Job;
import io.couchjobs.job.ScheduledTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The known parts of an index of lanes for one type: those that were read, kept up to date by the feed. Not
 * thread-safe.
 *
 * <p>It is read from wherever a choice needs it, a page at a time. A part that was read stays known, also when it held
 * no usable job: so a million jobs that a filter refuses are read once. Jobs of the future are not kept: a lane is
 * known up to the first of them. Entries may be stale: the claim decides.
 */
final class Scan implements Pool {
    private static final int MOST = 20_000;
    private static final int MOST_MOVED = 10_000;

    private final LaneKey.Order order;
    private final NavigableMap<LaneKey, Job> jobs = new TreeMap<>();
    private final Map<String, LaneKey> spots = new HashMap<>();
    private final KnownParts known = new KnownParts();
    /** Jobs from the feed about which the filter was not asked yet. */
    private final Set<String> unsifted = new HashSet<>();

    private final MovedJobs moved = new MovedJobs(MOST_MOVED);

    private long doubts;
    private long rows;
    private long overflows;

    Scan(LaneKey.Order order) {
        this.order = order;
    }

    /**
     * Called before the index is read: changes that the feed tells from now on are kept, since the index may not have
     * them yet.
     */
    long beginRead() {
        moved.beginRead();
        return doubts;
    }

    void endRead() {
        moved.endRead();
    }

    /**
     * Takes in a page of the index.
     *
     * @param begun the value that {@link #beginRead} returned
     * @param from from where on it was read
     * @param until jobs due later are not kept
     */
    void read(long begun, LaneKey from, JobIndex.Page page, Instant until, Collection<Job> wanted) {
        rows += page.rows().size();
        wanted.stream().filter(job -> !job.scheduledTime().isAfter(until)).forEach(this::putIfNewer);
        if (begun != doubts) {
            return; // there was a gap meanwhile: jobs that the page lacks may exist
        }
        LaneKey begin = from;
        long due = ScheduledTime.nearestMillis(until);
        for (LaneKey row : page.rows()) {
            if (row.time() <= due) {
                continue;
            }
            if (row.compareTo(begin) >= 0) {
                known.add(begin, row);
                begin = row.nextLane();
            }
        }
        end(begin, from, page);
        trim();
    }

    private void end(LaneKey begin, LaneKey from, JobIndex.Page page) {
        if (page.complete()) {
            known.add(begin, LaneKey.END);
            return;
        }
        LaneKey last = page.rows().get(page.rows().size() - 1);
        if (last.equals(from)) {
            known.add(begin, from.nextTime()); // a whole page of ids that the server does not tell apart
        } else if (last.isSameTime(begin) || last.compareTo(begin) >= 0) {
            known.add(begin, last);
        }
    }

    /** Takes in a job of this type from the feed. */
    void changed(Job job) {
        String docId = job.id().docId();
        remove(docId);
        markMoved(docId);
        LaneKey spot = order.of(job);
        if (job.isClaimable() && (moved.isReading() || known.contains(spot))) {
            put(spot, job);
            unsifted.add(docId);
            trim();
        }
    }

    /**
     * A job of this type changed and was not read.
     *
     * @param mayBePending whether it may be claimable; then the index is read before the scan counts as empty
     */
    void unread(String docId, boolean mayBePending) {
        remove(docId);
        markMoved(docId);
        if (mayBePending) {
            doubt();
        }
    }

    /** Asks the filter about the jobs from the feed; refused jobs are forgotten until they change. */
    void sift(Predicate<Job> wanted) {
        for (String docId : unsifted) {
            LaneKey spot = spots.get(docId);
            Job job = spot == null ? null : jobs.get(spot);
            if (job != null && !wanted.test(job)) {
                remove(docId);
            }
        }
        unsifted.clear();
    }

    void remove(String docId) {
        LaneKey spot = spots.remove(docId);
        if (spot != null) {
            jobs.remove(spot);
        }
    }

    /** A job that was taken out is there again, unless something newer is. */
    void putBack(Job job) {
        LaneKey spot = order.of(job);
        if (!spots.containsKey(job.id().docId()) && known.contains(spot)) {
            put(spot, job);
            trim();
        }
    }

    /** Jobs may be missing here: the index must be read before the scan counts as empty. */
    void doubt() {
        known.clear();
        doubts++;
        rows = 0;
    }

    /** All that is known here may be outdated. */
    void forget() {
        jobs.clear();
        spots.clear();
        unsifted.clear();
        doubt();
    }

    /** How many rows a {@link #doubt} would cost to read again. */
    long cost() {
        return rows;
    }

    /** How often it was too much to remember. */
    long overflows() {
        return overflows;
    }

    @Override
    public Found first(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped) {
        long due = ScheduledTime.nearestMillis(until);
        LaneKey at = from;
        while (at.compareTo(before) < 0) {
            LaneKey end = known.end(at);
            if (end == null) {
                return Found.unread(at);
            }
            LaneKey next = next(at, end, due, skipped);
            Job job = next == null ? null : jobs.get(next);
            if (next != null && next.compareTo(before) >= 0) {
                return Found.NONE;
            } else if (job != null && next != null && next.time() <= due) {
                return Found.job(job);
            } else if (next != null) {
                at = next.nextLane();
            } else if (end.isEnd() || end.compareTo(before) >= 0) {
                return Found.NONE;
            } else if (end.time() > due) {
                at = end.nextLane();
            } else {
                return Found.unread(end);
            }
        }
        return Found.NONE;
    }

    /** The next job that is not skipped, due or not; null when there is none up to the end of the known part. */
    private @Nullable LaneKey next(LaneKey from, LaneKey end, long due, Predicate<Job> skipped) {
        for (Map.Entry<LaneKey, Job> entry : jobs.subMap(from, true, end, true).entrySet()) {
            if (entry.getKey().time() > due || !skipped.test(entry.getValue())) {
                return entry.getKey();
            }
        }
        return null;
    }

    @Override
    public List<Job> several(LaneKey from, LaneKey before, Instant until, Predicate<Job> skipped, int most) {
        List<Job> found = new ArrayList<>();
        for (Job job : jobs.subMap(from, before).values()) {
            if (found.size() == most) {
                break;
            }
            if (!job.scheduledTime().isAfter(until) && !skipped.test(job)) {
                found.add(job);
            }
        }
        return found;
    }

    /** When the first job that counts falls due, or when a part begins that must be read. Empty when there is none. */
    Optional<Instant> nextTime(Instant until, Predicate<Job> counts) {
        long first = Long.MAX_VALUE;
        long due = ScheduledTime.nearestMillis(until);
        LaneKey at = LaneKey.START;
        while (true) {
            LaneKey end = known.end(at);
            if (end == null) {
                return Optional.of(until);
            }
            LaneKey next = next(at, end, due, counts.negate());
            if (next != null) {
                first = Math.min(first, next.time());
                at = next.nextLane();
            } else if (end.isEnd()) {
                return first == Long.MAX_VALUE ? Optional.empty() : Optional.of(Instant.ofEpochMilli(first));
            } else {
                first = Math.min(first, end.time());
                at = end.nextLane();
            }
        }
    }

    void markMoved(String docId) {
        moved.add(docId);
    }

    private void putIfNewer(Job job) {
        String docId = job.id().docId();
        LaneKey there = spots.get(docId);
        Job present = there == null ? null : jobs.get(there);
        if (moved.isNews(job, present)) {
            remove(docId);
            put(order.of(job), job);
        }
    }

    private void put(LaneKey spot, Job job) {
        jobs.put(spot, job);
        spots.put(job.id().docId(), spot);
    }

    /** Forgets all when it is too much: the index still has it. */
    private void trim() {
        if (jobs.size() > MOST) {
            overflows++;
            forget();
        }
    }
}
