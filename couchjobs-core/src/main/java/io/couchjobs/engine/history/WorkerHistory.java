package io.couchjobs.engine.history;

import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.worker.RunReport;

/**
 * A worker's part in the history. Counts the worker's runs, and takes turns in summing up the runs of all workers.
 * Thread-safe.
 */
public final class WorkerHistory implements AutoCloseable {
    private final RunRecorder recorder;
    private final Collector collector;

    /** Creates the part of a worker. Does no I/O. */
    public WorkerHistory(QueueParts parts, String worker) {
        HistoryStore store = new HistoryStore(parts.store());
        this.recorder = new RunRecorder(parts, store, worker);
        this.collector = new Collector(parts, store, worker);
    }

    /** Begins to take turns. Runs are counted even without this call. */
    public void start() {
        collector.start();
    }

    /** Counts a run. */
    public void ended(RunReport run) {
        recorder.ended(run);
    }

    /** Ends the turns, and writes the counts that are not written yet. */
    @Override
    public void close() {
        collector.close();
        recorder.close();
    }
}
