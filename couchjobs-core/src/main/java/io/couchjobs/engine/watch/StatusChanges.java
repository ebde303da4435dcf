package io.couchjobs.engine.watch;

import io.couchjobs.engine.feed.FeedEvent;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.feed.FeedNotice;
import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.JobReader;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.engine.time.Alarm;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.RecentMap;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobPhase;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.Listening;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to a listener, in a lane of its own, every job whose status or run differs from the last report. Thread-safe.
 *
 * <p>The feed only fills a {@link Mailbox}, so a listener that blocks delays no other. When the feed brings an older
 * state than the last report, the document is read and decides.
 */
final class StatusChanges implements FeedListener, ConfirmedEnds.Listener, Listening {
    private static final Logger log = LoggerFactory.getLogger(StatusChanges.class);
    private static final int MOST_JOBS = 10_000;
    private static final long MOST_BYTES = 32L << 20;

    private final JobFilter filter;
    private final JobStore store;
    private final ConfirmedEnds ends;
    private final Hearer hearer;
    private final Consumer<StatusChanges> onClose;
    private final Mailbox mailbox;
    private final Backoff backoff;
    private volatile boolean closed;
    private final Lane lane;
    private final Alarm delivery;
    /** The last reported state of each job that changed recently. Only the lane uses it. */
    private final Map<JobId, Told> last = RecentMap.byUse(MOST_JOBS);

    /**
     * A reported state. The status is null for a removed job. The run is the number of runs for a pending job, and the
     * fence for any other job.
     */
    private record Told(Snapshot snapshot, @Nullable JobStatus status, long run) {
        static Told of(Snapshot snapshot, Optional<Job> job) {
            long run = job.map(present -> present.phase() == JobPhase.PENDING ? present.attempt() : present.fence())
                    .orElse(0L);
            return new Told(snapshot, job.map(Job::status).orElse(null), run);
        }

        boolean saysTheSameAs(Told other) {
            return status == other.status && run == other.run;
        }
    }

    /** The callbacks for changes, and for gaps in them. */
    record Hearer(Consumer<JobChange> listener, Runnable whenMissed) {}

    StatusChanges(JobFilter filter, JobStore store, Hearer hearer, Consumer<StatusChanges> onClose) {
        this(filter, store, hearer, onClose, new Mailbox(MOST_JOBS, MOST_BYTES));
    }

    StatusChanges(JobFilter filter, JobStore store, Hearer hearer, Consumer<StatusChanges> onClose, Mailbox mailbox) {
        this.mailbox = mailbox;
        this.filter = filter;
        this.store = store;
        this.ends = store.ends();
        this.hearer = hearer;
        this.backoff = new Backoff(store.environment(), Duration.ofMillis(100), Duration.ofSeconds(5));
        this.onClose = onClose;
        this.lane = store.environment().lane("couchjobs-watch", 1);
        this.delivery = Alarm.immediate(lane, this::deliver);
    }

    @Override
    public void changed(FeedEvent event) {
        Optional<JobId> wanted = wanted(event.docId());
        if (event.isResolved()) {
            wanted.ifPresent(id -> ends.ask(id, this));
        } else {
            wanted.flatMap(id -> event.seen(id)).ifPresent(this::hears);
        }
    }

    /** Reports a state. An end is reported when a majority of the copies has it. */
    private void hears(Snapshot news) {
        if (ends.isSure(news)) {
            told(news);
        } else {
            ends.ask(news, this);
        }
    }

    @Override
    public void told(Snapshot sure) {
        mailbox.put(sure);
        delivery.now();
    }

    @Override
    public boolean asks(JobId id) {
        return !closed;
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return wanted(notice.docId()).isPresent();
    }

    @Override
    public void gap() {
        mailbox.putGap();
        delivery.now();
    }

    /** Does nothing: the feed goes on from its position. */
    @Override
    public void reconnected() {}

    @Override
    public void close() {
        closed = true;
        mailbox.close();
        lane.finish();
        onClose.accept(this);
    }

    private Optional<JobId> wanted(String docId) {
        return JobId.fromDocId(docId)
                .filter(id -> filter.ofType() == null || filter.ofType().equals(id.type()));
    }

    private void deliver() {
        Optional<Snapshot> news;
        do {
            if (mailbox.takeGap() && !isCaughtUp()) {
                mailbox.putGap();
                delivery.notBefore(backoff.next());
                return;
            }
            news = mailbox.take();
            news.ifPresent(this::deliver);
        } while (news.isPresent() || mailbox.hasGap());
    }

    private void deliver(Snapshot news) {
        try {
            tell(news);
        } catch (RuntimeException | Error e) {
            log.error("a listener failed on {}; it will hear of later changes", news.id(), e);
        }
        if (Thread.interrupted()) {
            log.debug("a listener left an interrupt behind, which means nothing here");
        }
    }

    /**
     * Looks up the jobs that were reported to the listener. Returns false when they cannot be read now. Changes of
     * other jobs cannot be found any more.
     */
    private boolean isCaughtUp() {
        try {
            List<String> told = last.keySet().stream().map(JobId::docId).toList();
            for (int from = 0; from < told.size(); from += JobReader.PAGE) {
                lookUp(told.subList(from, Math.min(from + JobReader.PAGE, told.size())));
            }
            backoff.reset();
        } catch (RuntimeException | Error e) {
            log.debug("what was missed cannot be read now, trying again until it can", e);
            return false;
        }
        try {
            hearer.whenMissed.run();
        } catch (RuntimeException | Error e) {
            log.error(
                    "a listener failed when it was told that changes may have been missed; it will hear of later ones",
                    e);
        }
        return true;
    }

    private void lookUp(List<String> docIds) {
        JobReader reader = new JobReader(store.database());
        Map<String, JobReader.Standing> standings = reader.standings(docIds);
        List<String> changed = docIds.stream()
                .filter(docId -> standings.containsKey(docId)
                        && !isTold(docId, standings.get(docId).rev()))
                .toList();
        reader.snapshots(changed).values().forEach(this::hears);
    }

    private boolean isTold(String docId, String rev) {
        return JobId.fromDocId(docId)
                .map(last::get)
                .filter(told -> told.snapshot.rev().equals(rev))
                .isPresent();
    }

    private void tell(Snapshot news) {
        Told before = last.get(news.id());
        if (before == null || (news.isConfirmed() && news.isEnd()) || news.isLaterThan(before.snapshot)) {
            tellIfChanged(before, news);
        } else if (!news.rev().equals(before.snapshot.rev())) {
            lookUp(news.id(), before.snapshot.rev()).ifPresent(found -> {
                if (found.phase() == JobPhase.NOT_FOUND && store.mayBeCluster()) {
                    ends.ask(found.id(), this); // no tombstone was seen
                } else if (ends.isSure(found)) {
                    tellIfChanged(before, found);
                } else {
                    ends.ask(found, this);
                }
            });
        }
    }

    /**
     * Returns the stored state, or empty when it cannot be read now: then only an older state is lost. A job that is
     * gone keeps the revision of the last report. Without it, the next old state would look newer, and the removed job
     * would reappear.
     */
    private Optional<Snapshot> lookUp(JobId id, String rev) {
        try {
            return Optional.of(store.read(id).map(Snapshot::of).orElseGet(() -> Snapshot.gone(id, rev)));
        } catch (RuntimeException e) {
            log.debug("an old story of {} cannot be checked and is not told", id, e);
            return Optional.empty();
        }
    }

    private void tellIfChanged(@Nullable Told before, Snapshot news) {
        Optional<Job> job = news.job();
        Told now = Told.of(news, job);
        last.put(news.id(), now);
        boolean changed = before == null || !now.saysTheSameAs(before);
        if (changed && job.map(filter::matches).orElse(true)) {
            hearer.listener.accept(new JobChange(news.id(), news.phase(), job.orElse(null)));
        }
    }
}
