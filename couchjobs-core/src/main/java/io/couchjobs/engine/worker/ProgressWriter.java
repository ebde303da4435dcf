package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Writes the progress and the log of runs, at most once a second for each run, and never on a handler's thread. Progress that
 * is not written when a run ends goes with the write of the run's end. Thread-safe.
 */
final class ProgressWriter implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int THREADS = 2;

    /** Runs that are about to be written, or were written less than a pause ago. */
    private final Set<Source> busy = ConcurrentHashMap.newKeySet();

    private final Lane lane;

    ProgressWriter(Environment environment) {
        this.lane = environment.lane("couchjobs-progress", THREADS);
    }

    /** Plans a write for a run that has something to write. */
    void tell(Source run) {
        if (busy.add(run)) {
            lane.execute(() -> write(run));
        }
    }

    @Override
    public void close() {
        lane.close();
    }

    private void write(Source run) {
        try {
            run.tell();
        } finally {
            lane.schedule(PAUSE, () -> rest(run));
        }
    }

    private void rest(Source run) {
        busy.remove(run);
        if (run.hasSomethingToTell()) {
            tell(run);
        }
    }

    /** A run that has progress or log lines to write. */
    interface Source {
        boolean hasSomethingToTell();

        /** Writes the progress and the log lines. */
        void tell();
    }
}
