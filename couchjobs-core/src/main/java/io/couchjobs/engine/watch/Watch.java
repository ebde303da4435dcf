package io.couchjobs.engine.watch;

import io.couchjobs.engine.feed.ConfirmedListener;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.FeedListener;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobChange;
import io.couchjobs.job.JobFilter;
import io.couchjobs.job.JobId;
import io.couchjobs.job.Listening;
import io.couchjobs.job.NotFoundException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Follows the changes of jobs. Thread-safe. */
public final class Watch implements AutoCloseable {
    private final Feed feed;
    private final JobStore store;
    private final Subscriptions subscriptions;
    private final List<StatusChanges> watching = new CopyOnWriteArrayList<>();

    /** No I/O. */
    public Watch(Feed feed, JobStore store) {
        this.feed = feed;
        this.store = store;
        this.subscriptions = new Subscriptions(feed, store);
    }

    /** {@return the subscriptions to single jobs} */
    public Subscriptions subscriptions() {
        return subscriptions;
    }

    /**
     * Calls a listener at every change of status from now on. When changes follow each other quickly, only the last may
     * be reported. A listener that is slow for more than 10,000 jobs or 32 MiB of documents misses the oldest changes,
     * which is logged.
     *
     * @param filter selects the jobs; a removed job is reported if its type passes
     * @param listener called in a lane of its own, and may take its time; its exceptions are logged
     * @param whenMissed called in the same lane when changes may have been missed. Either the server did not know the
     *     feed's position any more, because the database was recreated or restored, or the listener was too slow. The
     *     listener still gets changes of the jobs that were reported to it; changes of other jobs are lost. Its
     *     exceptions are logged
     * @return ends the watching when closed; a call in progress goes on
     */
    public Listening follow(JobFilter filter, Consumer<JobChange> listener, Runnable whenMissed) {
        store.ends().prepare();
        StatusChanges changes =
                new StatusChanges(filter, store, new StatusChanges.Hearer(listener, whenMissed), watching::remove);
        Listening listening = feed.listen(changes);
        watching.add(changes);
        return () -> {
            listening.close();
            changes.close();
        };
    }

    /**
     * Calls a listener at every change of any document. The end of a job, or its removal, is reported when a majority
     * of a cluster's copies has it, a moment later than the feed reports it.
     *
     * @param listener called by one thread at a time; must be quick
     * @return ends the listening when closed
     */
    public Listening listen(FeedListener listener) {
        store.ends().prepare();
        ConfirmedListener confirmed = new ConfirmedListener(store, listener);
        Listening listening = feed.listen(confirmed);
        return () -> {
            listening.close();
            confirmed.close();
        };
    }

    /**
     * Waits until a job meets a condition.
     *
     * @param wanted the condition; called on the feed's thread, so it must be quick
     * @return the job when it met the condition; empty when the time is over
     * @throws NotFoundException when there is no such job, or it is removed meanwhile
     */
    public Optional<Job> await(JobId id, Predicate<Job> wanted, Duration timeout) throws InterruptedException {
        return subscriptions.await(id, wanted, timeout);
    }

    /** Ends everything that was begun here. Idempotent. */
    @Override
    public void close() {
        watching.forEach(StatusChanges::close);
        subscriptions.close();
    }
}
