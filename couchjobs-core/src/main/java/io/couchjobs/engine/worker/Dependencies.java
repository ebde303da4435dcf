package io.couchjobs.engine.worker;

import io.couchjobs.couch.ViewResult;
import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.index.HeldIndex;
import io.couchjobs.engine.index.IndexPatience;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets held jobs go when the jobs that they wait for are finished. Each worker runs one instance; they race without harm.
 * Thread-safe.
 *
 * <p>No event is trusted. An event only causes a reading of all jobs that a held job waits for, and their present states
 * decide. So the order and the repetition of events do not matter. Even if the last two jobs finish at the same instant, a
 * reading follows each event, and the last reading sees both ends. The write is conditional on the held job's revision.
 *
 * <p>On a cluster, an end that only a minority has is undone after the partition. So an end counts only when a majority of the
 * copies has it, and the job has no conflicts.
 */
final class Dependencies implements FeedListener, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Dependencies.class);
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(10);
    /** On a cluster, the copy of the index that was read may have been out of date. */
    private static final Duration FIND_AGAIN = Duration.ofSeconds(45);
    /** On a cluster, the copies that were read may be behind the feed. A job is judged again after this pause. */
    private static final Duration JUDGE_AGAIN = Duration.ofMillis(1500);

    /** A new job that this process has not read may be held. The index is asked for held jobs within this time. */
    private static final Duration FIND_NEW = Duration.ofSeconds(5);
    /** The same for a job that existed before, which is seldom held again. */
    private static final Duration FIND_OLD = Duration.ofMinutes(1);

    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(3);
    private static final int PAGE = 500;

    private final QueueParts parts;
    private final Duration findNew;
    private final Duration findOld;
    private final Lane lane;
    private final IndexPatience patience;
    private final HeldIndex index;
    private final HeldJobs jobs = new HeldJobs();
    private final Alarm work;
    private final Alarm find;

    private boolean mustLoad = true;
    private boolean mustFind;
    /** Used only by the lane. */
    private boolean troubled;
    /** Used only by the lane, or by the thread of a drain. */
    private @Nullable Reading reading;

    private @Nullable Listening listening;

    Dependencies(QueueParts parts) {
        this(parts, FIND_NEW, FIND_OLD);
    }

    Dependencies(QueueParts parts, Duration findNew, Duration findOld) {
        this.parts = parts;
        this.findNew = findNew;
        this.findOld = findOld;
        this.lane = parts.store().environment().lane("couchjobs-dependencies", 1);
        this.work = Alarm.immediate(lane, this::run);
        this.find = Alarm.immediate(lane, this::findInTime);
        this.index = new HeldIndex(parts.index());
        this.patience = new IndexPatience(parts.index(), parts.store().environment());
    }

    void start() {
        listening = parts.feed().listen(this);
        work.now();
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

    /** Lets go all jobs that can be let go now, in the calling thread. A drain uses this method; nothing is left to the lane. */
    void settle() {
        work.notBefore(Environment.FOREVER);
        mustLoad();
        judgeAll();
    }

    @Override
    public void changed(FeedEvent event) {
        JobId.fromDocId(event.docId()).ifPresent(id -> {
            Optional<Job> job = event.job();
            job.filter(this::isHeld).ifPresentOrElse(this::hold, () -> jobs.forget(id));
            boolean over = event.deleted()
                    || job.filter(present -> present.phase() == JobPhase.FINISHED)
                            .isPresent();
            if (over && jobs.finished(id, job.map(Job::status).orElse(JobStatus.CANCELLED))) {
                work.now();
            }
        });
    }

    /** Returns whether the job is held, or a held job waits for it. */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.jobId().filter(jobs::concerns).isPresent();
    }

    @Override
    public boolean needsEach() {
        return !jobs.isEmpty();
    }

    @Override
    public void skipped() {
        find.within(findNew);
    }

    @Override
    public Duration patience() {
        return jobs.isEmpty() ? LATER : SOON;
    }

    /** The job may be held now, which the index shows. If other jobs began to wait for it after this change, it was read then. */
    @Override
    public void unread(FeedNotice notice) {
        if (notice.mayBePending()) {
            find.within(notice.mayBeNew() ? findNew : findOld);
        }
    }

    @Override
    public void gap() {
        mustLoad();
        work.now();
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

    private void hold(Job job) {
        jobs.add(job);
        work.now();
    }

    private void findAgain() {
        try {
            if (parts.store().isCluster()) {
                jobs.judgeReady();
                find();
            }
        } catch (CouchJobsException away) {
            log.debug("held jobs are looked for later: {}", away.toString());
        }
    }

    private void findInTime() {
        if (patience.waits()) {
            find.within(findNew);
        } else {
            find();
        }
    }

    private void find() {
        synchronized (this) {
            mustFind = true;
        }
        run();
    }

    private void run() {
        try {
            judgeAll();
            troubled = false;
        } catch (RuntimeException | Error e) {
            if (!troubled && !lane.isClosed()) {
                log.warn("held jobs cannot be let go, trying again until they can: {}", e.getMessage());
            }
            troubled = true;
            work.notBefore(AFTER_TROUBLE);
        }
    }

    private synchronized void mustLoad() {
        mustLoad = true;
    }

    /** Reads and judges held jobs. After a failure, the next call continues where this one stopped. */
    private void judgeAll() {
        for (Reading now = nextReading(); now != null; now = nextReading()) {
            reading = readPage(now);
            judgeKnown();
        }
        judgeKnown();
    }

    /** {@return the next reading; null when there is nothing to read} */
    private synchronized @Nullable Reading nextReading() {
        if (reading == null && (mustLoad || mustFind)) {
            reading = new Reading(mustLoad, Optional.empty());
            mustLoad = false;
            mustFind = false;
        }
        return reading;
    }

    /** Reads one page of held jobs. Returns the next reading; null at the end. */
    private @Nullable Reading readPage(Reading now) {
        HeldIndex.Page held = index.page(now.after);
        List<JobId> toRead =
                held.jobs().stream().filter(id -> now.all || !jobs.contains(id)).toList();
        for (int from = 0; from < toRead.size(); from += PAGE) {
            List<Job> page = parts.store().readAll(toRead.subList(from, Math.min(from + PAGE, toRead.size())));
            page.stream().filter(this::isHeld).forEach(this::hold);
        }
        return held.last().isEmpty() ? null : new Reading(now.all, held.last());
    }

    private void judgeKnown() {
        for (List<JobId> some = jobs.next(); !some.isEmpty(); some = jobs.next()) {
            try {
                List<Job> held = judge(some);
                judgeLater(jobs.judged(some, held, parts.store().isCluster()), JUDGE_AGAIN);
            } catch (RuntimeException | Error trouble) {
                boolean unused = jobs.judge(some);
                throw trouble;
            }
        }
    }

    /** Judges the jobs by one reading, and lets them go in one request. Returns the jobs that were held when they were read. */
    private List<Job> judge(List<JobId> ids) {
        List<Job> present =
                parts.store().readAll(ids).stream().filter(this::isHeld).toList();
        if (present.isEmpty()) {
            return present;
        }
        Set<JobId> awaited = new LinkedHashSet<>();
        present.forEach(job -> awaited.addAll(afterOf(job).jobs()));
        DependencyStates outcomes = parts.store()
                .majority()
                .read(awaited.stream().map(JobId::docId).toList(), () -> DependencyStates.read(parts.store(), awaited))
                .orElseThrow(() -> new CouchJobsException(
                        "no majority of the copies is in reach; nobody can tell which jobs have ended"));
        for (Job job : present) {
            if (jobs.sawFinished(job.id(), outcomes::isOver)) {
                work.now();
            }
        }
        letGo(present, outcomes);
        judgeLater(
                present.stream()
                        .filter(job -> outcomes.isUncertain(afterOf(job)))
                        .map(Job::id)
                        .toList(),
                AFTER_TROUBLE);
        return present;
    }

    private synchronized void judgeLater(List<JobId> ids, Duration pause) {
        if (!ids.isEmpty() && !lane.isClosed()) {
            lane.schedule(pause, () -> {
                if (jobs.judge(ids)) {
                    work.now();
                }
            });
        }
    }

    private void letGo(List<Job> present, DependencyStates outcomes) {
        Instant now = parts.clock().instant();
        List<Job> free = present.stream()
                .map(job -> Transitions.letGo(job, outcomes.judge(afterOf(job)), now))
                .flatMap(decision -> decision.write().stream())
                .toList();
        List<WriteResult> results = parts.store().writer().writeAll(free);
        List<JobId> again = new ArrayList<>();
        for (int i = 0; i < free.size(); i++) {
            JobId id = free.get(i).id();
            if (results.get(i) instanceof WriteResult.Refused no) {
                again.add(id);
                warnOnce(id, no);
            } else if (!(results.get(i) instanceof WriteResult.Stored)) {
                // Another process let the job go, or changed it. The feed reports a change.
                log.debug("{} changed while it was let go", id);
            }
        }
        judgeLater(again, AFTER_TROUBLE);
    }

    private void warnOnce(JobId id, WriteResult.Refused no) {
        if (jobs.refused(id)) {
            log.warn("{} cannot be let go, trying again until it can: the server refuses it: {}", id, no.reason());
        }
    }

    private static After afterOf(Job held) {
        return held.after().orElseThrow();
    }

    /**
     * The present reading of the index.
     *
     * @param all whether known jobs are read again
     * @param after the last row that was read; empty at the beginning
     */
    private record Reading(boolean all, Optional<ViewResult.Row> after) {}
}
