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
 * Reads the documents of runs that may have lost their job, or are to be cancelled. A reading that fails is repeated
 * until it tells, or the run ends. Thread-safe.
 */
final class Doubts {
    private static final Logger log = LoggerFactory.getLogger(Doubts.class);
    /** A read that hangs must not delay the others. */
    private static final int AT_ONCE = 32;

    private final Environment environment;
    private final Lane lane;
    /** How often a run was doubted, until the doubt is cleared. */
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
        boolean isOver = run.isEnding() || run.isHalted(); // the write that ends it finds out
        if (!isOver && !verify(run)) {
            lane.schedule(backoff.next(), () -> clear(run, backoff));
        } else if (!times.remove(run, doubted)) {
            // A doubt that came while the document was read is one more reason to read it.
            lane.execute(() -> clear(run, backoff));
        }
    }

    /** False when it cannot be told now. */
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
