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

/** Tells the runs of a worker that somebody cancelled, removed or took over their job. Thread-safe. */
final class CancelWatch implements FeedListener {
    /** A run is to be told within a second that its job was cancelled. */
    private static final Duration WHILE_RUNNING = Duration.ofMillis(500);

    private static final int MOST_EARLY = 1000;
    private static final int MOST_UNREAD = 10_000;

    private final Map<JobId, Run> runs;
    private final String worker;
    private final Runnable hurry;
    /** The feed may tell an old story: the document decides. */
    private final Doubts doubts;
    /** Cancel requests for jobs that were claimed a moment ago: the feed may be quicker than the claim's own answer. */
    private final Map<JobId, FeedEvent> early = RecentMap.byAge(MOST_EARLY);

    /** The same of changes whose documents were not read, because no run needed them then. */
    private final Map<JobId, FeedNotice> unread = RecentMap.byAge(MOST_UNREAD);

    CancelWatch(Map<JobId, Run> runs, String worker, Runnable hurry, Environment environment) {
        this.runs = runs;
        this.worker = worker;
        this.hurry = hurry;
        this.doubts = new Doubts(environment);
    }

    @Override
    public void changed(FeedEvent event) {
        if (event.docId().startsWith(DocIds.TYPE)) {
            hurry.run();
        }
        JobId.fromDocId(event.docId()).ifPresent(id -> {
            Run run;
            synchronized (early) {
                run = runs.get(id);
                if (run == null && event.job().filter(this::isOursAndUnwanted).isPresent()) {
                    early.put(id, event);
                }
            }
            if (run != null) {
                tell(run, event);
            }
        });
    }

    /** The run that a change concerns, unless the change is known already. */
    @Override
    public boolean needsDocument(FeedNotice notice) {
        return notice.jobId().map(runs::get).filter(run -> isNews(notice, run)).isPresent();
    }

    @Override
    public void unread(FeedNotice notice) {
        notice.jobId().ifPresent(id -> {
            Run run;
            synchronized (early) {
                run = runs.get(id);
                if (run == null) {
                    unread.remove(id);
                    unread.put(id, notice);
                }
            }
            if (run != null && isNews(notice, run)) {
                doubts.about(run);
            }
        });
    }

    @Override
    public boolean needsEach() {
        return !runs.isEmpty();
    }

    @Override
    public Duration patience() {
        return runs.isEmpty() ? LATER : WHILE_RUNNING;
    }

    /** A cancel request, or a removal, may have been among what is never told. */
    @Override
    public void gap() {
        runs.values().forEach(doubts::about);
    }

    /** The feed goes on from where it was. */
    @Override
    public void reconnected() {}

    /** A run is in the map from now on. */
    void begun(Run run) {
        FeedEvent news;
        FeedNotice change;
        synchronized (early) {
            news = early.remove(run.claim().id());
            change = unread.remove(run.claim().id());
        }
        if (news != null) {
            tell(run, news);
        }
        if (change != null && isNews(change, run)) {
            doubts.about(run);
        }
    }

    /** A revision that this process wrote counts, too: one of its creators may have cancelled or removed the job. */
    private static boolean isNews(FeedNotice notice, Run run) {
        return notice.generation() > generationKnownTo(run) && !run.isEnding();
    }

    private static long generationKnownTo(Run run) {
        return Fences.generation(run.claim().job());
    }

    private boolean isOursAndUnwanted(Job job) {
        return job.isCancelRequested()
                && job.lock().filter(lock -> lock.worker().equals(worker)).isPresent();
    }

    private void tell(Run run, FeedEvent event) {
        long known = generationKnownTo(run);
        Optional<Job> now = event.job();
        boolean ours = now.filter(job -> job.isLockedBy(run.claim().token())).isPresent();
        if (ours && now.get().isCancelRequested()) {
            run.stop(JobContext.StopReason.CANCELLED);
        } else if (!ours && event.generation() > known && !run.isEnding()) {
            // For a run that is ending, this is most often its own end, before that was answered; if it is not, the
            // write
            // that ends it is refused, and finds out.
            doubts.about(run);
        }
    }
}
