package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Environment;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.job.HaltException;
import io.couchjobs.worker.JobContext;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the documents of runs whose job may be lost or cancelled. A failed reading is repeated until it succeeds, or the run
 * ends. Thread-safe.
 */
final class Doubts {
    private static final Logger log = LoggerFactory.getLogger(Doubts.class);
    /** The greatest number of simultaneous readings. A reading that hangs must not delay the others. */
    private static final int AT_ONCE = 32;

    private final Environment environment;
    private final Lane lane;
    /** How often each run was doubted, until the doubt is cleared. */
    private final ConcurrentMap<Run, Integer> times = new ConcurrentHashMap<>();

    Doubts(Environment environment) {
        this.environment = environment;
        this.lane = environment.lane("couchjobs-verify", AT_ONCE);
    }

    void about(Run run) {
        if (times.merge(run, 1, Integer::sum) == 1) {
            Backoff backoff = new Backoff(environment, Duration.ofMillis(100), Duration.ofSeconds(5));
            lane.execute(() -> clear(run, backoff));
        }
    }

    private void clear(Run run, Backoff backoff) {
        Integer doubted = times.get(run);
        boolean isOver = run.isEnding() || run.isHalted(); // the write of a run's end detects a lost job
        if (!isOver && !verify(run)) {
            lane.schedule(backoff.next(), () -> clear(run, backoff));
        } else if (!times.remove(run, doubted)) {
            // A doubt that came during the reading requires another reading.
            lane.execute(() -> clear(run, backoff));
        }
    }

    /** Checks whether the job is still owned. Returns false when this is unknown at the moment. */
    private static boolean verify(Run run) {
        try {
            run.claim().assertOwned();
            run.heed();
        } catch (HaltException lost) {
            run.stop(JobContext.StopReason.HALTED);
        } catch (RuntimeException | Error unknown) {
            log.debug("cannot tell yet whether {} is still ours", run.claim().id(), unknown);
            return false;
        }
        return true;
    }
}
