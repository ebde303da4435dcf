package io.couchjobs.engine.worker;

import io.couchjobs.engine.document.DocIds;
import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.lifecycle.Fences;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.worker.JobContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Stops the runs of a worker whose jobs were cancelled, removed or taken over. Thread-safe. */
final class CancelWatch implements FeedListener {
    /** Lets a run learn within a second that its job was cancelled. */
    private static final Duration WHILE_RUNNING = Duration.ofMillis(500);

    private static final int MOST_EARLY = 10_000;

    private final Map<JobId, Run> runs;
    private final Runnable hurry;
    /** Reads the document before a decision, because the feed may report an older state. */
    private final Doubts doubts;
    /**
     * Generations of changed jobs without a run here. The feed may report a claim before the claim's answer comes and the run
     * begins.
     */
    private final Map<JobId, Long> early = RecentMap.byAge(MOST_EARLY);

    CancelWatch(Map<JobId, Run> runs, Runnable hurry, Environment environment) {
        this.runs = runs;
        this.hurry = hurry;
        this.doubts = new Doubts(environment);
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.docId().startsWith(DocIds.TYPE)) {
            hurry.run();
        }
        JobId.fromDocId(event.docId())
                .flatMap(id -> run(id, event.generation()))
                .ifPresent(run -> tell(run, event));
    }

    /** Returns whether a change concerns a run and is not known yet. */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.jobId()
                .map(runs::get)
                .filter(run -> isNews(notice.generation(), run))
                .isPresent();
    }

    @Override
    public void unread(FeedNotice notice) {
        notice.jobId()
                .flatMap(id -> run(id, notice.generation()))
                .filter(run -> isNews(notice.generation(), run))
                .ifPresent(doubts::about);
    }

    /** Returns the run of a changed job. Without a run, the change is remembered, because a run of the job may begin soon. */
    private Optional<Run> run(JobId id, long generation) {
        synchronized (early) {
            Optional<Run> run = Optional.ofNullable(runs.get(id));
            if (run.isEmpty()) {
                Long before = early.remove(id);
                early.put(id, before == null ? generation : Math.max(before, generation));
            }
            return run;
        }
    }

    @Override
    public boolean needsEach() {
        return !runs.isEmpty();
    }

    @Override
    public Duration patience() {
        return runs.isEmpty() ? LATER : WHILE_RUNNING;
    }

    /** Doubts all runs: the gap may have hidden a cancel request or a removal. */
    @Override
    public void gap() {
        runs.values().forEach(doubts::about);
    }

    /** Does nothing, because the feed continues from where it was. */
    @Override
    public void reconnected() {}

    /** Records that a run is in the map from now on. */
    void begun(Run run) {
        Long generation;
        synchronized (early) {
            generation = early.remove(run.claim().id());
        }
        if (generation != null && isNews(generation, run)) {
            doubts.about(run);
        }
    }

    /**
     * Returns whether a change is unknown to a run. Even a revision that this process wrote counts: one of its creators may
     * have cancelled or removed the job.
     */
    private static boolean isNews(long generation, Run run) {
        return generation > generationKnownTo(run) && !run.isEnding();
    }

    private static long generationKnownTo(Run run) {
        return Fences.generation(run.claim().job());
    }

    private void tell(Run run, FeedEvent event) {
        Optional<Job> now = event.job();
        boolean ours = now.filter(job -> job.isLockedBy(run.claim().token())).isPresent();
        if (ours && now.get().isCancelRequested()) {
            run.stop(JobContext.StopReason.CANCELLED);
        } else if (!ours && isNews(event.generation(), run)) {
            // A run that is ending is left out, because the change is most often its own end. If it is another change,
            // the write of the run's end is refused, and the run learns of the change by this.
            doubts.about(run);
        }
    }
}
