package io.couchjobs.engine.worker;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobState;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets held jobs go when the jobs that they wait for are finished. Every worker runs one; they race harmlessly. Thread-safe.
 *
 * <p>It trusts no event: an event is only the reason to read all the jobs that a held one waits for, and to decide by what they
 * are now. So it does not matter whether the last two finish at the same instant, or which event comes first or twice: after
 * each, somebody looks, and the last one who looks sees both. The write is conditional on the held job's revision.
 *
 * <p>On a cluster an end that only a minority has is undone after the cut: nobody is let go by what a majority of the
 * copies does not have, nor by a job that has conflicts.
 */
final class Dependencies implements FeedListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Dependencies.class);
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(10);
    /** On a cluster the copy of the index that was read may have been behind. */
    private static final Duration FIND_AGAIN = Duration.ofSeconds(45);
    /** On a cluster the copies that were read may be behind what the feed told: then a job is judged again, so often. */
    private static final Duration JUDGE_AGAIN = Duration.ofMillis(1500);

    private static final int LOOKS_WHEN_READY = 3;
    private static final int LOOKS_WHEN_NEW = 1;
    /** How long a new job may be held that nobody here has read, before it is looked for. */
    private static final Duration FIND_NEW = Duration.ofSeconds(5);
    /** The same of one that was there before: it is seldom that such a one comes to be held. */
    private static final Duration FIND_OLD = Duration.ofMinutes(1);

    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(3);
    private static final int PAGE = 500;
    /** So many are judged by what is read once. */
    private static final int TOGETHER = 100;

    private final QueueParts parts;
    private final Duration findNew;
    private final Duration findOld;
    private final Lane lane;
    private final Map<JobId, Held> held = new HashMap<>();

    private final Map<JobId, Set<JobId>> waitingFor = new HashMap<>();
    private final Set<JobId> toJudge = new LinkedHashSet<>();
    /** How often held jobs are yet to be judged again without another reason. */
    private final Map<JobId, Integer> looks = new HashMap<>();
    /** Those of which was told that the server refuses to let them go. */
    private final Set<JobId> refused = new HashSet<>();

    private boolean mustLoad = true;
    private boolean mustFind;
    private @Nullable Long findNanos;
    private boolean planned;
    /** Only the lane uses it. */
    private boolean troubled;

    private @Nullable Listening listening;

    /**
     * Begins to look after the held jobs of a database when it is {@linkplain #start started}.
     *
     * @param parts what it works with
     */
    Dependencies(QueueParts parts) {
        this(parts, FIND_NEW, FIND_OLD);
    }

    Dependencies(QueueParts parts, Duration findNew, Duration findOld) {
        this.parts = parts;
        this.findNew = findNew;
        this.findOld = findOld;
        this.lane = parts.store().environment().lane("couchjobs-dependencies", 1);
    }

    void start() {
        listening = parts.feed().listen(this);
        work(Duration.ZERO);
        every(LOOK_AGAIN, this::gap);
        every(FIND_AGAIN, this::findAgain);
    }

    private void every(Duration pause, Runnable task) {
        lane.schedule(pause, () -> {
            try {
                task.run();
            } finally {
                every(pause, task);
            }
        });
    }

    /** Lets go in the calling thread what can be let go now. A drain uses this; nothing is left to the lane. */
    void settle() {
        synchronized (this) {
            planned = true;
            mustLoad = true;
        }
        loadIfNeeded();
        for (List<JobId> some = next(); !some.isEmpty(); some = next()) {
            judge(some);
        }
    }

    @Override
    public synchronized void changed(FeedEvent event) {
        JobId.fromDocId(event.docId()).ifPresent(id -> {
            Optional<Job> job = event.job();
            job.filter(this::isHeld).ifPresentOrElse(this::hold, () -> forget(id));
            boolean over = event.deleted()
                    || job.filter(present -> present.state() == JobState.FINISHED)
                            .isPresent();
            if (over) {
                finished(id, job.map(Job::status).orElse(JobStatus.CANCELLED));
            }
        });
    }

    /** Held jobs, and the jobs that they wait for. */
    @Override
    public synchronized boolean needsDocument(FeedNotice notice) {
        return JobId.fromDocId(notice.docId())
                .filter(id -> held.containsKey(id) || waitingFor.containsKey(id))
                .isPresent();
    }

    /** It may be held now, which the index knows. A job that others began to wait for after this change was read then. */
    @Override
    public synchronized void unread(FeedNotice notice) {
        if (notice.mayBePending()) {
            findWithin(notice.mayBeNew() ? findNew : findOld);
        }
    }

    @Override
    public synchronized void gap() {
        mustLoad = true;
        work(Duration.ZERO);
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.close();
        }
        lane.close();
    }

    private boolean isHeld(Job job) {
        return job.status() == JobStatus.WAITING
                && job.after().isPresent()
                && parts.store().site().owns(job);
    }

    /** A job that is held, seen for the first time or changed: somebody must look how things stand. */
    private void hold(Job job) {
        forget(job.id());
        After after = job.after().orElseThrow();
        held.put(job.id(), new Held(new HashSet<>(after.jobs()), after.onFailure() == After.OnFailure.CANCEL));
        looks.put(job.id(), LOOKS_WHEN_NEW);
        after.jobs()
                .forEach(id ->
                        waitingFor.computeIfAbsent(id, i -> new HashSet<>()).add(job.id()));
        judgeSoon(job.id());
    }

    private void forget(JobId id) {
        toJudge.remove(id);
        looks.remove(id);
        refused.remove(id);
        if (held.remove(id) != null) {
            waitingFor.values().forEach(waiting -> waiting.remove(id));
            waitingFor.values().removeIf(Set::isEmpty);
        }
    }

    /** When one job waits for ten thousand, only the last one to finish, or one that failed, is a reason to look. */
    private void finished(JobId id, JobStatus status) {
        for (JobId waiting : waitingFor.getOrDefault(id, Set.of())) {
            Held known = held.get(waiting);
            if (known != null) {
                known.unfinished.remove(id);
                if (known.unfinished.isEmpty() || (known.cancelsOnFailure && status != JobStatus.SUCCESS)) {
                    looks.put(waiting, LOOKS_WHEN_READY);
                    judgeSoon(waiting);
                }
            }
        }
    }

    private void judgeSoon(JobId id) {
        toJudge.add(id);
        work(Duration.ZERO);
    }

    private synchronized void work(Duration pause) {
        if (!planned && !lane.isClosed()) {
            planned = true;
            lane.schedule(pause, this::run);
        }
    }

    private void findWithin(Duration pause) {
        long at = parts.store().environment().nanos() + pause.toNanos();
        if (!lane.isClosed() && (findNanos == null || at - findNanos < 0)) {
            findNanos = at;
            lane.schedule(pause, this::find);
        }
    }

    private void findAgain() {
        try {
            if (parts.store().isCluster()) {
                judgeReady();
                find();
            }
        } catch (CouchJobsException away) {
            log.debug("held jobs are looked for later: {}", away.toString());
        }
    }

    private synchronized void judgeReady() {
        held.forEach((id, known) -> {
            if (known.unfinished.isEmpty() || known.cancelsOnFailure) {
                toJudge.add(id);
            }
        });
    }

    private void find() {
        synchronized (this) {
            findNanos = null;
            mustFind = true;
        }
        run();
    }

    private void run() {
        synchronized (this) {
            planned = false;
        }
        try {
            loadIfNeeded();
            for (List<JobId> some = next(); !some.isEmpty(); some = next()) {
                judge(some);
            }
            troubled = false;
        } catch (RuntimeException | Error e) {
            if (!troubled) {
                log.warn("held jobs cannot be let go, trying again until they can: {}", e.getMessage());
            }
            troubled = true;
            gapLater();
        }
    }

    private synchronized void gapLater() {
        mustLoad = true;
        work(AFTER_TROUBLE);
    }

    private synchronized List<JobId> next() {
        List<JobId> some = toJudge.stream().limit(TOGETHER).toList();
        some.forEach(toJudge::remove);
        return some;
    }

    private void loadIfNeeded() {
        boolean all;
        synchronized (this) {
            if (!mustLoad && !mustFind) {
                return;
            }
            all = mustLoad;
            mustLoad = false;
            mustFind = false;
        }
        List<JobId> toRead =
                parts.index().held().stream().filter(id -> all || !isKnown(id)).toList();
        for (int from = 0; from < toRead.size(); from += PAGE) {
            List<Job> page = parts.store().readAll(toRead.subList(from, Math.min(from + PAGE, toRead.size())));
            synchronized (this) {
                page.stream().filter(this::isHeld).forEach(this::hold);
            }
        }
    }

    private synchronized boolean isKnown(JobId id) {
        return held.containsKey(id);
    }

    /** All by what is read once, and let go in one request. */
    private void judge(List<JobId> ids) {
        if (parts.store().isCluster()) {
            judgeAgain(ids);
        }
        List<Job> present =
                parts.store().readAll(ids).stream().filter(this::isHeld).toList();
        if (present.isEmpty()) {
            return;
        }
        Set<JobId> awaited = new LinkedHashSet<>();
        present.forEach(job -> awaited.addAll(afterOf(job).jobs()));
        DependencyStates outcomes = parts.store()
                .majority()
                .read(awaited.stream().map(JobId::docId).toList(), () -> DependencyStates.read(parts.store(), awaited))
                .orElseThrow(() -> new CouchJobsException(
                        "no majority of the copies is in reach; nobody can tell which jobs have ended"));
        present.forEach(job -> seenFinished(job.id(), outcomes));
        letGo(present, outcomes);
    }

    /** Those that are let go now are not held any more by then. */
    private synchronized void judgeAgain(List<JobId> ids) {
        List<JobId> some = ids.stream()
                .filter(id -> looks.computeIfPresent(id, (any, left) -> left > 0 ? left - 1 : null) != null)
                .toList();
        if (!some.isEmpty()) {
            later(some, JUDGE_AGAIN);
        }
    }

    private synchronized void later(List<JobId> ids, Duration pause) {
        if (!lane.isClosed()) {
            lane.schedule(pause, () -> judgeStillHeld(ids));
        }
    }

    private synchronized void judgeStillHeld(List<JobId> ids) {
        ids.stream().filter(held::containsKey).forEach(this::judgeSoon);
    }

    private void letGo(List<Job> present, DependencyStates outcomes) {
        Instant now = parts.clock().instant();
        List<Job> free = present.stream()
                .map(job -> Transitions.letGo(job, outcomes.judge(afterOf(job)), now))
                .flatMap(decision -> decision.write().stream())
                .toList();
        List<WriteResult> results = parts.store().writeAll(free);
        List<JobId> again = new ArrayList<>();
        for (int i = 0; i < free.size(); i++) {
            JobId id = free.get(i).id();
            if (results.get(i) instanceof WriteResult.Refused no) {
                again.add(id);
                tellOnce(id, no);
            } else if (!(results.get(i) instanceof WriteResult.Stored)) {
                // Somebody else wrote: the job itself, and the feed will tell, or let it go as we would.
                log.debug("{} changed while it was let go", id);
            }
        }
        if (!again.isEmpty()) {
            later(again, AFTER_TROUBLE);
        }
    }

    private synchronized void tellOnce(JobId id, WriteResult.Refused no) {
        if (refused.add(id)) {
            log.warn("{} cannot be let go, trying again until it can: the server refuses it: {}", id, no.reason());
        }
    }

    private static After afterOf(Job held) {
        return held.after().orElseThrow();
    }

    /** An event may have come while this was read: when nothing is left to wait for, somebody must look once more. */
    private synchronized void seenFinished(JobId id, DependencyStates outcomes) {
        Held known = held.get(id);
        if (known == null || known.unfinished.isEmpty()) {
            return;
        }
        known.unfinished.removeIf(outcomes::isOver);
        if (known.unfinished.isEmpty()) {
            judgeSoon(id);
        }
    }

    /** The jobs that were not yet seen to be finished, and whether a failure ends the waiting. */
    private record Held(Set<JobId> unfinished, boolean cancelsOnFailure) {}
}
