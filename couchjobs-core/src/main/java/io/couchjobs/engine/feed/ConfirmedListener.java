package io.couchjobs.engine.feed;

import io.couchjobs.engine.store.ConfirmedEnds;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Snapshot;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.util.Optional;

/**
 * Passes the feed's events to a listener. Passes on the end or the removal of a job only when a majority of the copies
 * has it. Thread-safe.
 */
public final class ConfirmedListener implements FeedListener, ConfirmedEnds.Listener, AutoCloseable {
    private final JobStore store;
    private final FeedListener listener;
    private volatile boolean closed;

    public ConfirmedListener(JobStore store, FeedListener listener) {
        this.store = store;
        this.listener = listener;
    }

    @Override
    public void changed(FeedEvent event) {
        Optional<JobId> doubtful = JobId.fromDocId(event.docId()).filter(id -> isDoubtful(id, event));
        if (doubtful.isPresent()) {
            store.ends().ask(doubtful.get(), event.seen(doubtful.get()), this);
        } else {
            pass(event);
        }
    }

    /** Passes on a confirmed state once, even if the listener fails, as the feed does. */
    @Override
    public void told(Snapshot sure) {
        Optional<Job> job = sure.job();
        FeedEvent event = new FeedEvent(
                sure.id().docId(),
                sure.rev(),
                job.isEmpty(),
                job.map(Job::toDocument).orElse(null),
                false);
        Audience.tell(listener, any -> pass(event));
    }

    @Override
    public boolean asks(JobId id) {
        return !closed;
    }

    @Override
    public synchronized void gap() {
        listener.gap();
    }

    @Override
    public void close() {
        closed = true;
    }

    private synchronized void pass(FeedEvent event) {
        if (!closed) {
            listener.changed(event);
        }
    }

    private boolean isDoubtful(JobId id, FeedEvent event) {
        return event.isResolved()
                || (store.writer().isDoubtful(event.docId(), event.rev())
                        && event.seen(id).filter(Snapshot::isEnd).isPresent());
    }
}
