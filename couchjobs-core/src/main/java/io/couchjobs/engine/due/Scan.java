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
 * The parts of an index by lanes that were read for one type, kept up to date by the feed. Not thread-safe.
 *
 * <p>The index is read a page at a time, from wherever a choice needs it. A part that was read stays known, even when
 * it held no usable job. So a million jobs that a filter refuses are read only once. Future jobs are not kept: a lane
 * is known up to the first of them. Entries may be stale: the claim decides.
 */
final class Scan implements Pool {
    private static final int MOST = 20_000;
    private static final int MOST_MOVED = 10_000;

    private final LaneKey.Order order;
    private final NavigableMap<LaneKey, Job> jobs = new TreeMap<>();
    private final Map<String, LaneKey> spots = new HashMap<>();
    private final KnownParts known = new KnownParts();
    /** The documents of jobs from the feed to which the filter was not applied yet. */
    private final Set<String> unsifted = new HashSet<>();

    private final MovedJobs moved = new MovedJobs(MOST_MOVED);

    private long doubts;
    private long rows;
    private long overflows;

    Scan(LaneKey.Order order) {
        this.order = order;
    }

    /**
     * Begins a read of the index. Changes that the feed reports from now on are kept, because the index may not have
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
     * @param from the key at which the page begins
     * @param until jobs that are due later are not kept
     */
    void read(long begun, LaneKey from, JobIndex.Page page, Instant until, Collection<Job> wanted) {
        rows += page.rows().size();
        wanted.stream().filter(job -> !job.scheduledTime().isAfter(until)).forEach(this::putIfNewer);
        if (begun != doubts) {
            return; // doubted meanwhile: jobs may exist that the page lacks
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
            known.add(begin, from.nextTime()); // a whole page of ids that are equal to the server
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
     * Takes in a change of a job of this type that was not read.
     *
     * @param mayBePending whether the job may be claimable; then the index is read before the scan counts as empty
     */
    void unread(String docId, boolean mayBePending) {
        remove(docId);
        markMoved(docId);
        if (mayBePending) {
            doubt();
        }
    }

    /** Applies the filter to the jobs from the feed. Refused jobs are forgotten until they change. */
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

    /** Puts back a job that was taken out, unless a newer state of the job is known. */
    void putBack(Job job) {
        LaneKey spot = order.of(job);
        if (!spots.containsKey(job.id().docId()) && known.contains(spot)) {
            put(spot, job);
            trim();
        }
    }

    /** Notes that jobs may be missing: the index must be read before the scan counts as empty. */
    void doubt() {
        known.clear();
        doubts++;
        rows = 0;
    }

    /** Forgets all jobs, because they may be outdated. */
    void forget() {
        jobs.clear();
        spots.clear();
        unsifted.clear();
        doubt();
    }

    /** Returns how many rows must be read again after a {@link #doubt}. */
    long cost() {
        return rows;
    }

    /** Returns how often the scan had too many jobs to remember. */
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

    /** Returns the key of the next job that is not skipped, or not due; null when the known part has none. */
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

    /** Returns when the first job that counts falls due, or when an unread part begins; empty when there is neither. */
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

    /** Forgets all jobs when they are too many: the index still has them. */
    private void trim() {
        if (jobs.size() > MOST) {
            overflows++;
            forget();
        }
    }
}
