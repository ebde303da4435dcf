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
 * The known pending jobs of one type: a window read from the index, kept up to date by the feed. Not thread-safe.
 *
 * <p>Up to its horizon it knows every pending job; beyond, the index does. So the index is read again only when the window
 * runs dry and there was more. Entries may be stale: the claim decides.
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
    /** The last job up to which all are known; null when there is none. */
    private @Nullable DuePlace horizon;

    /**
     * Whether jobs before the horizon may be unknown: the feed told of them before, and the index read did not have
     * them yet.
     */
    private boolean isPassedBy;

    private boolean complete;
    /**
     * How often the feed told of an unread job that may be pending; the next two are counts at reads of the index.
     */
    private long unread;

    private long unreadBegun;
    private long unreadKnown;

    private long doubts;

    /**
     * Called before the index is read: changes that the feed tells from now on are kept, since the index may not have
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

    /** The last job up to which all are known, when it is due: then it is worth reading on from there. */
    Optional<DuePlace> dueHorizon(Instant until) {
        return Optional.ofNullable(horizon).filter(last -> isDue(last, until));
    }

    boolean hasRoomFor(int more) {
        return byId.size() + more <= MOST;
    }

    /**
     * Takes in the rows of an index that was read after {@code begun}.
     *
     * @param certain whether all jobs of an up-to-date index were read from its start on; false when only some were, or
     *     when the reading went on from the horizon, perhaps of a stale index
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

    /** Takes in some jobs from before the horizon, which stays where it is. */
    void addBehind(List<Job> jobs) {
        jobs.forEach(this::putIfNewer);
        trim();
    }

    /** These are this worker's share. */
    void markOurs(List<Job> share) {
        share.forEach(job -> {
            if (byId.containsKey(job.id().docId())) {
                ours.add(job.id().docId());
            }
        });
    }

    /** Whether a job was read as this worker's share. */
    boolean isOurs(Job job) {
        return ours.contains(job.id().docId());
    }

    /** Takes in a job of this type from the feed; true when it is pending. */
    boolean changed(Job job) {
        remove(job.id().docId());
        markMoved(job.id().docId());
        if (!job.isClaimable()) {
            return false;
        }
        // When in doubt the index will be read, but on a cluster perhaps a copy that does not have the job yet.
        if (complete || isInDoubt() || moved.isReading() || isWithinHorizon(job) || byId.isEmpty()) {
            put(job);
            trim();
        }
        return true;
    }

    /**
     * A job of this type changed and was not read: the known state is dropped, unless it is that very revision.
     *
     * @param mayBePending whether it may be claimable; then the index is read before the backlog counts as empty
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

    /** Jobs may be missing here: the index must be read before the backlog counts as empty. */
    void doubt() {
        complete = false;
        horizon = null;
        doubts++;
    }

    /** All that is known here may be outdated. */
    void forget() {
        byId.clear();
        inOrder.clear();
        ours.clear();
        doubt();
    }

    /** Whether only the index can tell if a job is due until then. */
    boolean mustRefill(Instant until) {
        boolean holdsDue = !inOrder.isEmpty() && isDue(inOrder.first(), until);
        boolean isKnown = complete || (!isPassedBy && horizon != null && !isDue(horizon, until));
        return !holdsDue && (unread > unreadKnown || !isKnown);
    }

    /** Whether the feed told of jobs that were not read since, and may be older than all that are known. */
    boolean mayLackOlder() {
        return unread > unreadKnown;
    }

    /** Whether every job that is due until then is known here, as far as the feed has told. */
    boolean knowsAllDue(Instant until) {
        return complete || (horizon != null && !isPassedBy && !isDue(horizon, until));
    }

    /** Whether any number of jobs may be missing here. */
    boolean isInDoubt() {
        return !complete && horizon == null;
    }

    /** The first jobs due until then, stuck ones before others. */
    List<Job> due(Instant until, int most) {
        return due(until, most, job -> true);
    }

    /** The same for the admitted jobs. */
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
     * When the first known job that is admitted falls due, or the part begins that only the index has. While other jobs fill the
     * window, admitted ones behind it have to wait.
     */
    Optional<Instant> nextTime(Predicate<Job> admits) {
        Optional<Job> first = inOrder.stream().filter(admits).findFirst();
        boolean isBlocked = first.isEmpty() && !inOrder.isEmpty();
        Optional<DuePlace> beyond = complete || isBlocked ? Optional.empty() : Optional.ofNullable(horizon);
        return Stream.concat(first.map(Job::scheduledTime).stream(), beyond.map(DuePlace::time).stream())
                .min(Comparator.naturalOrder());
    }

    /** A job that was taken out is there again, unless something newer is. */
    void putBack(Job job) {
        if (!byId.containsKey(job.id().docId())) {
            put(job);
            trim();
        }
    }

    /** The same for jobs that are not due yet. */
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
            // A read of the index under way must not bring back a job dropped here.
            doubts++;
        }
    }
}
