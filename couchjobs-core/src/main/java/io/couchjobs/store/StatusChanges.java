package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.JobStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a listener, on a thread of its own, of every job whose status is not the one told before. Thread-safe.
 *
 * <p>The feed only fills a {@link Mailbox}, so a listener that blocks holds up nobody. An older story than the one told is
 * looked up: the document decides.
 */
final class StatusChanges implements Feed.Listener, Feed.Listening {
    private static final Logger log = LoggerFactory.getLogger(StatusChanges.class);
    private static final int MOST_JOBS = 10_000;
    private static final long MOST_BYTES = 32L << 20;

    private final JobFilter filter;
    private final JobStore store;
    private final Consumer<JobChange> listener;
    private final Consumer<StatusChanges> onClose;
    private final Mailbox mailbox = new Mailbox(MOST_JOBS, MOST_BYTES);
    private final Thread thread = new Thread(this::deliver, "couchjobs-watch");
    /** What was told last, of the jobs that changed last. Only the thread uses it. */
    private final Map<JobId, Told> last = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Told> eldest) {
            return size() > MOST_JOBS;
        }
    };

    /** A revision that was told; the status is null for a removed job. */
    private record Told(String rev, @Nullable JobStatus status) {}

    StatusChanges(JobFilter filter, JobStore store, Consumer<JobChange> listener, Consumer<StatusChanges> onClose) {
        this.filter = filter;
        this.store = store;
        this.listener = listener;
        this.onClose = onClose;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public void changed(FeedEvent event) {
        wanted(event.docId()).flatMap(id -> news(id, event)).ifPresent(mailbox::put);
    }

    @Override
    public boolean needsDocument(FeedNotice notice) {
        return wanted(notice.docId()).isPresent();
    }

    @Override
    public void close() {
        mailbox.close();
        onClose.accept(this);
    }

    private Optional<JobId> wanted(String docId) {
        return JobId.fromDocId(docId)
                .filter(id -> filter.ofType() == null || filter.ofType().equals(id.type()));
    }

    private static Optional<Snapshot> news(JobId id, FeedEvent event) {
        return event.deleted()
                ? Optional.of(Snapshot.gone(id, event.rev()))
                : Optional.ofNullable(event.document()).flatMap(Snapshot::of);
    }

    private void deliver() {
        Optional<Snapshot> news = take();
        while (news.isPresent()) {
            try {
                tell(news.get());
            } catch (RuntimeException | Error e) {
                log.error(
                        "a listener failed on {}; it will hear of later changes",
                        news.get().id(),
                        e);
            }
            news = take();
        }
    }

    private Optional<Snapshot> take() {
        while (true) {
            try {
                return mailbox.take();
            } catch (InterruptedException e) {
                log.debug("a listener left an interrupt behind, which means nothing here");
            }
        }
    }

    private void tell(Snapshot news) {
        Told before = last.get(news.id());
        if (before == null || news.generation() > FeedEvent.generation(before.rev)) {
            tellIfChanged(before, news);
        } else if (!news.rev().equals(before.rev)) {
            lookUp(news.id(), before.rev).ifPresent(found -> tellIfChanged(before, found));
        }
    }

    /**
     * Empty when it cannot be told now; what is older than what was told is not missed. A job that is gone keeps the revision
     * that was told last: without it, the next old story would look newer, and the dead would rise.
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
        JobStatus status = job.map(Job::status).orElse(null);
        last.put(news.id(), new Told(news.rev(), status));
        boolean changed = before == null || before.status != status;
        if (changed && job.map(filter::matches).orElse(true)) {
            listener.accept(new JobChange(
                    news.id(), news.state(), job.map(store::withData).orElse(null)));
        }
    }
}
