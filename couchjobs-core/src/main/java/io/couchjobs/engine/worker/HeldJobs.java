package io.couchjobs.engine.worker;

import io.couchjobs.job.After;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The known held jobs, which wait for other jobs: what each of them still waits for, and which are to be judged. Thread-safe.
 * No I/O.
 */
final class HeldJobs {
    private static final int LOOKS_WHEN_READY = 3;
    private static final int LOOKS_WHEN_NEW = 1;
    /** The greatest number of jobs that are judged by one reading. */
    private static final int TOGETHER = 100;

    private final Map<JobId, Held> held = new HashMap<>();
    private final Map<JobId, Set<JobId>> waitingFor = new HashMap<>();
    private final Set<JobId> toJudge = new LinkedHashSet<>();
    /** The jobs that the server refuses to let go. */
    private final Set<JobId> refused = new HashSet<>();

    /** Records a held job that was seen for the first time, or has changed. The job is to be judged. */
    synchronized void add(Job job) {
        forget(job.id());
        After after = job.after().orElseThrow();
        held.put(job.id(), new Held(after));
        after.jobs()
                .forEach(id ->
                        waitingFor.computeIfAbsent(id, i -> new HashSet<>()).add(job.id()));
        toJudge.add(job.id());
    }

    synchronized void forget(JobId id) {
        toJudge.remove(id);
        refused.remove(id);
        Held gone = held.remove(id);
        if (gone != null) {
            gone.awaited.forEach(awaited -> waitsNoMore(id, awaited));
        }
    }

    private void waitsNoMore(JobId id, JobId awaited) {
        Set<JobId> waiting = waitingFor.get(awaited);
        if (waiting != null && waiting.remove(id) && waiting.isEmpty()) {
            waitingFor.remove(awaited);
        }
    }

    synchronized boolean isEmpty() {
        return held.isEmpty();
    }

    synchronized boolean contains(JobId id) {
        return held.containsKey(id);
    }

    /** {@return whether a job is held, or held jobs wait for it} */
    synchronized boolean concerns(JobId id) {
        return held.containsKey(id) || waitingFor.containsKey(id);
    }

    /**
     * Records that a job has ended. When a job waits for ten thousand others, only the last one to finish, or one that failed,
     * causes a reading.
     *
     * @return whether there is a job to judge now
     */
    synchronized boolean finished(JobId id, JobStatus status) {
        boolean any = false;
        for (JobId waiting : waitingFor.getOrDefault(id, Set.of())) {
            Held known = held.get(waiting);
            if (known != null) {
                known.unfinished.remove(id);
                if (known.unfinished.isEmpty() || (known.cancelsOnFailure && status != JobStatus.SUCCESS)) {
                    known.looks = LOOKS_WHEN_READY;
                    toJudge.add(waiting);
                    any = true;
                }
            }
        }
        return any;
    }

    /**
     * Records which of the jobs that a held job waits for have ended by now, because their events may have come during the
     * reading.
     *
     * @return whether the held job waits for none of them any more, and so is to be judged once more
     */
    synchronized boolean sawFinished(JobId id, Predicate<JobId> isOver) {
        Held known = held.get(id);
        return known != null
                && !known.unfinished.isEmpty()
                && known.unfinished.removeIf(isOver)
                && known.unfinished.isEmpty()
                && judge(List.of(id));
    }

    /** Plans to judge the given jobs that are still held. Returns whether there is one. */
    synchronized boolean judge(Collection<JobId> ids) {
        List<JobId> still = ids.stream().filter(held::containsKey).toList();
        toJudge.addAll(still);
        return !still.isEmpty();
    }

    /** Plans to judge all jobs that may be ready. */
    synchronized void judgeReady() {
        held.forEach((id, known) -> {
            if (known.unfinished.isEmpty() || known.cancelsOnFailure) {
                toJudge.add(id);
            }
        });
    }

    /** Takes the next jobs to be judged. */
    synchronized List<JobId> next() {
        List<JobId> some = toJudge.stream().limit(TOGETHER).toList();
        some.forEach(toJudge::remove);
        return some;
    }

    /**
     * Records that jobs were judged. Jobs that are no longer held are forgotten, unless the feed has reported them since.
     *
     * @param stillHeld the jobs that were held when they were read
     * @param again whether jobs are judged again without another reason, because the copies that were read may be behind the
     *     feed
     * @return the jobs to be judged again, unless they are let go before
     */
    synchronized List<JobId> judged(List<JobId> ids, List<Job> stillHeld, boolean again) {
        List<JobId> later = ids.stream()
                .filter(id -> again && held.containsKey(id) && held.get(id).looks-- > 0)
                .toList();
        Set<JobId> over = new HashSet<>(ids);
        stillHeld.forEach(job -> over.remove(job.id()));
        later.forEach(over::remove);
        toJudge.forEach(over::remove);
        over.forEach(this::forget);
        return later;
    }

    /** Records that the server refuses to let a job go. Returns whether this is new. */
    synchronized boolean refused(JobId id) {
        return refused.add(id);
    }

    private static final class Held {
        final List<JobId> awaited;
        /** The jobs that have not been seen finished yet. */
        final Set<JobId> unfinished;

        final boolean cancelsOnFailure;
        /** How often the job is still to be judged again without another reason. */
        int looks = LOOKS_WHEN_NEW;

        Held(After after) {
            this.awaited = List.copyOf(after.jobs());
            this.unfinished = new HashSet<>(awaited);
            this.cancelsOnFailure = after.onFailure() == After.OnFailure.CANCEL;
        }
    }
}
