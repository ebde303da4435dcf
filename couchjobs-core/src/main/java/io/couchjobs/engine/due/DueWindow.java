package io.couchjobs.engine.due;

import io.couchjobs.engine.index.DuePlace;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The known pending jobs of one line: a window read from the index, kept up to date by the feed. Not thread-safe.
 *
 * <p>The window knows every pending job up to its horizon. Only the index knows the jobs beyond. So the index is read
 * again only when the window runs dry and the index had more jobs. Entries may be stale: the claim decides.
 */
final class DueWindow {
    static final int MOST = 6_000;
    private static final int MOST_MOVED = 5 * MOST;
    static final Comparator<Job> OLDEST_FIRST =
            Comparator.comparing(Job::scheduledTime).thenComparing(Job::id);
    static final Comparator<Job> STUCK_AND_OLDEST_FIRST = Comparator.<Job, Boolean>comparing(
                    job -> job.status() != JobStatus.STUCK)
            .thenComparing(Job::scheduledTime);

    private final Map<String, Job> byId = new HashMap<>();
    /** The known jobs that were read as this worker's share. */
    private final Set<String> ours = new HashSet<>();

    private final NavigableSet<Job> inOrder = new TreeSet<>(OLDEST_FIRST);
    private final MovedJobs moved = new MovedJobs(MOST_MOVED);
    /** The place up to which all pending jobs are known; null when there is none. */
    private @Nullable DuePlace horizon;

    /**
     * Whether jobs before the horizon may be unknown: the feed reported them earlier, and the index that was read did
     * not have them yet.
     */
    private boolean isPassedBy;

    private boolean complete;
    /**
     * The number of unread jobs that may be pending, as reported by the feed. The next two fields hold this number at
     * reads of the index.
     */
    private long unread;

    private long unreadBegun;
    private long unreadKnown;

    private long doubts;

    /**
     * Begins a read of the index. Changes that the feed reports from now on are kept, because the index may not have
     * them yet.
     */
    long beginRefill() {
        unreadBegun = moved.isReading() ? unreadBegun : unread;
        moved.beginRead();
        return doubts;
    }

    void endRefill() {
        moved.endRead();
    }

    /** Returns the horizon when it is due, so that the next read can go on from there. */
    Optional<DuePlace> dueHorizon(Instant until) {
        return Optional.ofNullable(horizon).filter(last -> isDue(last, until));
    }

    boolean hasRoomFor(int more) {
        return byId.size() + more <= MOST;
    }

    /**
     * Takes in the rows of the index.
     *
     * @param begun the value that {@link #beginRefill} returned
     * @param certain whether all jobs of an up-to-date index were read from its start on; false when only some were, or
     *     when the read went on from the horizon, perhaps in a stale index
     */
    void refill(long begun, JobIndex.Window due, List<Job> stuck, boolean certain) {
        unreadKnown = certain ? unreadBegun : unreadKnown;
        boolean mayHaveHoles = begun != doubts;
        isPassedBy = !certain;
        complete = due.complete() && certain && !mayHaveHoles;
        boolean isAtItsEnd = due.complete() && !certain;
        horizon = mayHaveHoles || isAtItsEnd ? null : due.end().orElse(null);
        due.jobs().forEach(this::putIfNewer);
        stuck.forEach(this::putIfNewer);
        trim();
    }

    /** Adds jobs from before the horizon, and leaves the horizon where it is. */
    void addBehind(List<Job> jobs) {
        jobs.forEach(this::putIfNewer);
        trim();
    }

    /** Marks jobs as this worker's share. */
    void markOurs(List<Job> share) {
        share.forEach(job -> {
            if (byId.containsKey(job.id().docId())) {
                ours.add(job.id().docId());
            }
        });
    }

    /** Returns whether a job was read as this worker's share. */
    boolean isOurs(Job job) {
        return ours.contains(job.id().docId());
    }

    /** Takes in a job of this type from the feed, and returns whether it is pending. */
    boolean changed(Job job) {
        remove(job.id().docId());
        markMoved(job.id().docId());
        if (!job.isClaimable()) {
            return false;
        }
        // In doubt the index will be read anyway. But on a cluster, the copy that is read may not have the job yet.
        if (complete || isInDoubt() || moved.isReading() || isWithinHorizon(job) || byId.isEmpty()) {
            put(job);
            trim();
        }
        return true;
    }

    /**
     * Takes in a change of a job of this type that was not read. Drops the known state, unless it has the same
     * revision.
     *
     * @param mayBePending whether the job may be claimable; then the index is read before the window counts as empty
     */
    void unread(String docId, String rev, boolean mayBePending) {
        Job known = byId.get(docId);
        if (known != null && known.rev().equals(Optional.of(rev))) {
            return;
        }
        remove(docId);
        moved.addUnread(docId, rev);
        unread += mayBePending ? 1 : 0;
    }

    void remove(String docId) {
        Job known = byId.remove(docId);
        if (known != null) {
            inOrder.remove(known);
            ours.remove(docId);
        }
    }

    /** Notes that jobs may be missing: the index must be read before the window counts as empty. */
    void doubt() {
        complete = false;
        horizon = null;
        doubts++;
    }

    /** Forgets all jobs, because they may be outdated. */
    void forget() {
        byId.clear();
        inOrder.clear();
        ours.clear();
        doubt();
    }

    /** Returns whether only the index can tell if a job is due by {@code until}. */
    boolean mustRefill(Instant until) {
        boolean holdsDue = !inOrder.isEmpty() && isDue(inOrder.first(), until);
        boolean isKnown = complete || (!isPassedBy && horizon != null && !isDue(horizon, until));
        return !holdsDue && (unread > unreadKnown || !isKnown);
    }

    /** Returns whether the feed reported jobs that have not been read since, and that may be older than all known jobs. */
    boolean mayLackOlder() {
        return unread > unreadKnown;
    }

    /** Returns whether every job that is due by {@code until} is known, as far as the feed has reported. */
    boolean knowsAllDue(Instant until) {
        return complete || (horizon != null && !isPassedBy && !isDue(horizon, until));
    }

    /** Returns whether any number of jobs may be missing. */
    boolean isInDoubt() {
        return !complete && horizon == null;
    }

    /** Returns the first jobs due by {@code until}, stuck jobs before others. */
    List<Job> due(Instant until, int most) {
        return due(until, most, job -> true);
    }

    /** Returns the first admitted jobs due by {@code until}, stuck jobs before others. */
    List<Job> due(Instant until, int most, Predicate<Job> admits) {
        List<Job> stuck = new ArrayList<>();
        List<Job> others = new ArrayList<>();
        for (Job job : inOrder) {
            if (job.scheduledTime().isAfter(until)) {
                break;
            }
            if (admits.test(job)) {
                (job.status() == JobStatus.STUCK ? stuck : others).add(job);
            }
        }
        stuck.addAll(others);
        return stuck.subList(0, Math.min(most, stuck.size()));
    }

    /**
     * Returns when the first admitted job falls due, or the time of the horizon if it is earlier. While other jobs fill
     * the window, admitted jobs behind it have to wait.
     */
    Optional<Instant> nextTime(Predicate<Job> admits) {
        Optional<Job> first = inOrder.stream().filter(admits).findFirst();
        boolean isBlocked = first.isEmpty() && !inOrder.isEmpty();
        Optional<DuePlace> beyond = complete || isBlocked ? Optional.empty() : Optional.ofNullable(horizon);
        return Stream.concat(first.map(Job::scheduledTime).stream(), beyond.map(DuePlace::time).stream())
                .min(Comparator.naturalOrder());
    }

    /** Puts back a job that was taken out, unless a newer state of the job is known. */
    void putBack(Job job) {
        if (!byId.containsKey(job.id().docId())) {
            put(job);
            trim();
        }
    }

    /** Returns the time of the first known job that is not due yet, or else the time of the horizon. */
    Optional<Instant> nextTime(Instant until) {
        for (Job job : inOrder) {
            if (job.scheduledTime().isAfter(until)) {
                return Optional.of(job.scheduledTime());
            }
        }
        return complete ? Optional.empty() : Optional.ofNullable(horizon).map(DuePlace::time);
    }

    private static boolean isDue(Job job, Instant until) {
        return !job.scheduledTime().isAfter(until);
    }

    private static boolean isDue(DuePlace place, Instant until) {
        return !place.time().isAfter(until);
    }

    void markMoved(String docId) {
        moved.add(docId);
    }

    private boolean isWithinHorizon(Job job) {
        return horizon != null && DuePlace.of(job).compareTo(horizon) <= 0;
    }

    private void putIfNewer(Job job) {
        if (moved.isNews(job, byId.get(job.id().docId()))) {
            remove(job.id().docId());
            put(job);
        }
    }

    private void put(Job job) {
        byId.put(job.id().docId(), job);
        inOrder.add(job);
    }

    private void trim() {
        boolean inDoubt = isInDoubt();
        while (byId.size() > MOST) {
            Job last = inOrder.last();
            remove(last.id().docId());
            complete = false;
            horizon = inDoubt ? null : DuePlace.of(inOrder.last());
            // A read of the index that is under way must not bring back a job dropped here.
            doubts++;
        }
    }
}
