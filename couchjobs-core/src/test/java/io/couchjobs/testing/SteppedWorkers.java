package io.couchjobs.testing;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.engine.worker.QueueWorker;
import io.couchjobs.engine.worker.WorkerHook;
import io.couchjobs.worker.Worker;
import io.couchjobs.worker.WorkerBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Workers whose monotonic clock stands still but for what a test lets pass, so that no lease runs out because a machine is
 * slow. Not thread-safe.
 */
public final class SteppedWorkers implements AutoCloseable {
    private final AtomicLong nanos = new AtomicLong();
    private final JobQueue queue;
    private final InstantSource timeOfDay;
    private final List<JobStore> stores = new ArrayList<>();
    private final List<Feed> feeds = new ArrayList<>();

    public SteppedWorkers(JobQueue queue) {
        this(queue, InstantSource.system());
    }

    /** With a time of day that may be wrong, and is corrected by the server's. */
    public SteppedWorkers(JobQueue queue, InstantSource timeOfDay) {
        this.queue = queue;
        long begun = System.nanoTime();
        // It goes with the monotonic clock: a time of day that went on alone would mean that the machine was suspended.
        this.timeOfDay = () -> timeOfDay.instant().plusNanos(nanos.get() - (System.nanoTime() - begun));
    }

    /** A worker of its own process, as far as it can tell. */
    public WorkerBuilder worker() {
        CouchDatabase database = queue.database();
        JobStore store = Stores.of(database);
        SettingsStore settings = new SettingsStore(database, Duration.ofSeconds(60));
        Feed feed = Feeds.of(database, settings);
        stores.add(store);
        feeds.add(feed);
        ServerClock clock =
                new ServerClock(timeOfDay, () -> database.server().clockSkew(timeOfDay.instant()), nanos::get);
        return QueueWorker.builder(
                new QueueParts(store, new JobIndex(new DesignDocuments(database)), settings, feed, clock),
                WorkerHook.NONE);
    }

    public void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Lets three times the timeout pass: a third whenever the worker has renewed its leases. */
    public void outlast(Duration timeout, Worker renewing) throws Exception {
        for (int beat = 0; beat < 9; beat++) {
            awaitRenewal(renewing);
            pass(timeout.dividedBy(3));
        }
    }

    public void awaitRenewal(Worker renewing) throws Exception {
        long before = beats(renewing);
        TestQueue.until(() -> beats(renewing) > before);
    }

    private long beats(Worker worker) {
        return Rev.generation(queue.database()
                .get("worker:" + worker.id())
                .orElseThrow()
                .path("_rev")
                .asText());
    }

    @Override
    public void close() {
        feeds.forEach(Feed::close);
        stores.forEach(JobStore::close);
    }
}
