package io.couchjobs.engine.worker;

import io.couchjobs.JobQueue;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.embedded.EmbeddedCouch;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.testing.Jobs;
import io.couchjobs.testing.Stores;
import io.couchjobs.testing.TestQueue;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A queue on a server of its own, watched by monitors whose monotonic clock a test moves by hand. */
@SuppressWarnings("deprecation")
final class WatchedQueue implements AutoCloseable {
    final EmbeddedCouch couch = EmbeddedCouch.inMemory().start();
    final JobQueue queue;
    private final Duration timeout;
    private final AtomicLong nanos = new AtomicLong();
    private final List<Ticker> tickers = new ArrayList<>();
    private final List<ActivityMonitor> monitors = new ArrayList<>();
    private final List<Feed> feeds = new ArrayList<>();
    private final List<Set<String>> heard = new ArrayList<>();
    private int pokes;

    WatchedQueue(Duration timeout) {
        this.timeout = timeout;
        this.queue = JobQueue.builder(URI.create(couch.url() + "jobs"))
                .renewLeases(false)
                .defaultTimeout(timeout)
                .open();
    }

    /** A monitor of its own process, as far as it can tell: with its own feed, settings and writer. */
    ActivityMonitor monitor(String worker) {
        return monitor(worker, true);
    }

    /** One that does not hear of changed settings never reads them but before it recovers a job. */
    ActivityMonitor monitor(String worker, boolean hearsOfSettings) {
        CouchDatabase database = queue.database();
        SettingsStore settings = new SettingsStore(database, timeout);
        Feed feed = hearsOfSettings ? Feeds.of(database, settings) : Feeds.of(database);
        ActivityMonitor monitor = start(worker, settings, feed);
        Set<String> documents = ConcurrentHashMap.newKeySet();
        heard.add(documents);
        feed.listen(event -> documents.add(event.docId())); // after the monitor: what is here it has heard
        return monitor;
    }

    /** One whose feed tells of nothing: it follows another database. */
    ActivityMonitor deafMonitor(String worker) {
        CouchDatabase other = queue.database().server().database("elsewhere");
        other.createIfMissing();
        return start(worker, new SettingsStore(queue.database(), timeout), Feeds.of(other));
    }

    private ActivityMonitor start(String worker, SettingsStore settings, Feed feed) {
        CouchDatabase database = queue.database();
        Ticker ticker = new Ticker();
        tickers.add(ticker);
        ServerClock clock = new ServerClock(InstantSource.system(), () -> Duration.ZERO, ticker::nanos);
        ActivityMonitor monitor = new ActivityMonitor(
                new QueueParts(Stores.of(database), new JobIndex(new DesignDocuments(database)), settings, feed, clock),
                worker,
                id -> false);
        monitors.add(monitor);
        feeds.add(feed);
        monitor.start();
        return monitor;
    }

    /** A job that somebody owns, written as any program in any language could. */
    void owned(String id, String worker, String more) {
        queue.database()
                .put(Jobs.json("{'_id':'job:email:" + id + "','status':'running','attempt':1,'fence':1,"
                        + "'lock':{'token':'t','worker':'" + worker + "','since':1}" + more + "}"));
    }

    /** What its owner does who has no registration: it writes into its job. */
    void touch(String id) {
        var document = queue.database().get("job:email:" + id).orElseThrow();
        document.put("step", document.path("step").asInt() + 1);
        queue.database().put(document);
    }

    Job job(String id) {
        return queue.get("email", id).orElseThrow();
    }

    void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    /** Waits until all monitors have heard of everything, and have looked at what is owned. */
    void looked() throws Exception {
        // A registration gives them something to look at, also when nothing is owned.
        String last = poke("worker:poke-");
        for (Set<String> documents : heard) {
            TestQueue.until(() -> documents.contains(last));
        }
        awaitLooks();
        awaitLooks();
    }

    private void awaitLooks() throws Exception {
        List<Long> before = tickers.stream().map(ticker -> ticker.looks.get()).toList();
        poke("type:poke-");
        for (int i = 0; i < tickers.size(); i++) {
            AtomicLong present = tickers.get(i).looks;
            long old = before.get(i);
            TestQueue.until(() -> present.get() > old);
        }
    }

    /** A document that nobody else writes, nor removed before: monitors forget the registrations of the dead. */
    private String poke(String prefix) {
        String id = prefix + ++pokes;
        queue.database().put(Jobs.json("{'_id':'" + id + "'}"));
        return id;
    }

    /** Tells by who asks for the time what a monitor is doing. */
    private final class Ticker {
        private final AtomicLong looks = new AtomicLong();

        long nanos() {
            if (Thread.currentThread().getName().equals("couchjobs-monitor")) {
                looks.incrementAndGet();
            }
            return nanos.get();
        }
    }

    @Override
    public void close() {
        couch.faults().clear();
        monitors.forEach(ActivityMonitor::close);
        feeds.forEach(Feed::close);
        queue.close();
        couch.close();
    }
}
