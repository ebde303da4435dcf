package io.couchjobs.engine.history;

import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.worker.RunReport;

/** A worker's part in the history: it counts its runs, and takes its turn in summing up those of all. Thread-safe. */
public final class WorkerHistory implements AutoCloseable {
    private final RunRecorder recorder;
    private final Collector collector;

    /** No I/O. */
    public WorkerHistory(QueueParts parts, String worker) {
        HistoryStore store = new HistoryStore(parts.store());
        this.recorder = new RunRecorder(parts, store, worker);
        this.collector = new Collector(parts, store, worker);
    }

    /** Begins to take turns; runs are counted without it. */
    public void start() {
        collector.start();
    }

    /** Counts a run. */
    public void ended(RunReport run) {
        recorder.ended(run);
    }

    /** Ends the turns, and writes what is not written yet. */
    @Override
    public void close() {
        collector.close();
        recorder.close();
    }
}
