package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a process knows of the pending jobs of one type: a window read from the index, kept up to date by the feed. Not
 * thread-safe.
 *
 * <p>Up to its horizon it knows every pending job; beyond, the index does. So the index is read again only when the window
 * runs dry and there was more. Entries may be stale: the claim decides.
 */
final class Backlog {
    private static final int MOST = 2_000;
    private static final Comparator<Job> OLDEST_FIRST =
            Comparator.comparing(Job::scheduledTime).thenComparing(Job::id);

    private final Map<String, Job> byId = new HashMap<>();
    private final Map<String, Long> heardNanos = new HashMap<>();
    private final NavigableSet<Job> inOrder = new TreeSet<>(OLDEST_FIRST);
    /** The last job up to which all are known; null when that is none. */
    private @Nullable Job horizon;

    private boolean complete;
    private int refills;
    private long doubts;

    /** Before the index is read: what the feed tells from now on is kept, the index may not know it yet. */
    long beginRefill() {
        refills++;
        return doubts;
    }

    void endRefill() {
        refills--;
    }

    /** Takes in what the index had when it was read after {@code begun}. */
    void refill(long begun, JobIndex.Window due, List<Job> stuck) {
        complete = due.complete() && begun == doubts;
        horizon = due.jobs().isEmpty() ? null : due.jobs().get(due.jobs().size() - 1);
        due.jobs().forEach(this::putIfNew);
        stuck.forEach(this::putIfNew);
        trim();
    }

    /** Takes in what the feed says of a job of this type; true when it is pending. */
    boolean changed(Job job, long nanos) {
        remove(job.id().docId());
        if (!job.isClaimable()) {
            return false;
        }
        if (complete || refills > 0 || isWithinHorizon(job) || byId.isEmpty()) {
            put(job);
            heardNanos.put(job.id().docId(), nanos);
            trim();
        }
        return true;
    }

    /** How long ago the feed told of a job that is due; what came from the index is old. */
    long ageNanos(Job job, long nanos) {
        Long heard = heardNanos.get(job.id().docId());
        return heard == null ? Long.MAX_VALUE : nanos - heard;
    }

    void remove(String docId) {
        heardNanos.remove(docId);
        Job known = byId.remove(docId);
        if (known != null) {
            inOrder.remove(known);
        }
    }

    /** What is here may have holes: read the index before believing that there is nothing. */
    void doubt() {
        complete = false;
        horizon = null;
        doubts++;
    }

    /** Whether only the index can tell if there is a job due until then. */
    boolean mustRefill(Instant until) {
        boolean holdsDue =
                !inOrder.isEmpty() && !inOrder.first().scheduledTime().isAfter(until);
        return !complete
                && !holdsDue
                && (horizon == null || !horizon.scheduledTime().isAfter(until));
    }

    /** The first jobs due until then, stuck ones before others. */
    List<Job> due(Instant until, int most) {
        List<Job> stuck = new ArrayList<>();
        List<Job> others = new ArrayList<>();
        for (Job job : inOrder) {
            if (job.scheduledTime().isAfter(until)) {
                break;
            }
            (job.status() == JobStatus.STUCK ? stuck : others).add(job);
        }
        stuck.addAll(others);
        return stuck.subList(0, Math.min(most, stuck.size()));
    }

    Optional<Instant> nextTime() {
        return inOrder.isEmpty()
                ? Optional.empty()
                : Optional.of(inOrder.first().scheduledTime());
    }

    void removeAll(Collection<Job> taken) {
        taken.forEach(job -> remove(job.id().docId()));
    }

    private boolean isWithinHorizon(Job job) {
        return horizon != null && OLDEST_FIRST.compare(job, horizon) <= 0;
    }

    private void putIfNew(Job job) {
        if (!byId.containsKey(job.id().docId())) {
            put(job);
        }
    }

    private void put(Job job) {
        byId.put(job.id().docId(), job);
        inOrder.add(job);
    }

    private void trim() {
        while (byId.size() > MOST) {
            Job last = inOrder.last();
            remove(last.id().docId());
            complete = false;
            horizon = inOrder.last();
        }
    }
}
