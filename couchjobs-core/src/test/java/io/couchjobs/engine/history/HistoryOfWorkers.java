package io.couchjobs.engine.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.couchjobs.JobQueue;
import io.couchjobs.admin.History;
import io.couchjobs.couch.CouchDatabase;
import io.couchjobs.engine.feed.Feed;
import io.couchjobs.engine.feed.Feeds;
import io.couchjobs.engine.index.DesignDocuments;
import io.couchjobs.engine.index.JobIndex;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.JobId;
import io.couchjobs.testing.Stores;
import io.couchjobs.worker.RunReport;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The history of workers that run what a test says, by a clock that a test sets. One thread uses it. */
public final class HistoryOfWorkers implements AutoCloseable {
    private final JobStore store;
    private final Feed feed;
    private final QueueParts parts;
    private final HistoryStore documents;
    private final Map<String, RunRecorder> recorders = new HashMap<>();
    private final Map<String, Collector> collectors = new HashMap<>();
    private volatile Instant now;

    public HistoryOfWorkers(JobQueue queue, Instant now) {
        this.now = now;
        CouchDatabase database = queue.database();
        this.store = Stores.of(database);
        SettingsStore settings = new SettingsStore(database, Duration.ofSeconds(60));
        this.feed = Feeds.of(database, settings);
        ServerClock clock =
                new ServerClock(() -> this.now, () -> Duration.ZERO, () -> Duration.between(Instant.EPOCH, this.now)
                        .toNanos());
        this.parts =
                new QueueParts(store, new JobIndex(new DesignDocuments(database), store.site()), settings, feed, clock);
        this.documents = new HistoryStore(store);
    }

    public Instant now() {
        return now;
    }

    /** What the parts of a queue share, by the clock that the test sets. */
    public QueueParts parts() {
        return parts;
    }

    public void pass(Duration time) {
        now = now.plus(time);
    }

    /** A worker runs a job. */
    public void run(String worker, String type, RunReport.Outcome outcome, Duration took) {
        recorder(worker).ended(new RunReport(new JobId(type, "1"), 1, outcome, took, null));
    }

    void run(String worker, String type, int runs) {
        for (int i = 0; i < runs; i++) {
            run(worker, type, RunReport.Outcome.SUCCEEDED, Duration.ofMillis(10));
        }
    }

    /** What a worker does some seconds after a minute. */
    public void write(String worker) {
        recorder(worker).write();
    }

    /** Nothing is heard of the worker any more. */
    void kill(String worker) throws InterruptedException {
        recorders.remove(worker).stop();
    }

    public void close(String worker) {
        recorders.remove(worker).close();
    }

    /** A worker looks whether it has the turn, and collects if so. */
    public void collect(String worker) {
        collector(worker).collect();
    }

    /** What the process of a worker does that knows nothing of what it collected. */
    void restartCollector(String worker) {
        collectors.remove(worker);
    }

    Collector collector(String worker) {
        return collectors.computeIfAbsent(worker, id -> new Collector(parts, documents, id));
    }

    public void tidy() {
        new HistoryKeeper(parts).tidy();
    }

    public History history() {
        return new QueueHistory(parts);
    }

    /** The numbers of a type from the beginning of an hour, or of this one, on. */
    History.Point total(String type, Duration back) {
        History.Chart chart = history().read(now.minus(back), now.plus(Duration.ofMinutes(1)), Duration.ofMinutes(1));
        return chart.byType().containsKey(type)
                ? chart.byType().get(type).total()
                : new History.Point(now, 0, 0, 0, null, null);
    }

    List<ObjectNode> workers() {
        return documents.workers();
    }

    private RunRecorder recorder(String worker) {
        return recorders.computeIfAbsent(worker, id -> new RunRecorder(parts, documents, id));
    }

    @Override
    public void close() {
        collectors.values().forEach(Collector::close);
        recorders.values().forEach(RunRecorder::close);
        feed.close();
        store.close();
    }
}
