package io.couchjobs.engine.worker;

import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.HaltException;
import io.couchjobs.worker.StopReason;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs that may have lost their job, or are to be cancelled: the document of each is read, on a thread of its own that lives
 * only while there is a doubt. A reading that fails is repeated until it tells, or the run ends. Thread-safe.
 */
final class Doubts {
    private static final Logger log = LoggerFactory.getLogger(Doubts.class);

    /** How often a run was doubted, while its thread lives. */
    private final ConcurrentMap<Run, Integer> times = new ConcurrentHashMap<>();

    void about(Run run) {
        if (times.merge(run, 1, Integer::sum) == 1) {
            RunThreads.unstarted("couchjobs-verify", () -> clear(run)).start();
        }
    }

    private void clear(Run run) {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(5));
        boolean isClear = false;
        while (!isClear) {
            Integer doubted = times.get(run);
            // A doubt that came while the document was read is one more reason to read it.
            isClear = (isOver(run) || verify(run, backoff)) && times.remove(run, doubted);
        }
    }

    /** The write that ends it finds out. */
    private static boolean isOver(Run run) {
        return run.isEnding()
                || run.stopReason().filter(StopReason.HALTED::equals).isPresent();
    }

    /** False when it cannot be told now; then some time has passed. */
    private static boolean verify(Run run, Backoff backoff) {
        try {
            run.claim().assertOwned();
            run.heed();
            return true;
        } catch (HaltException lost) {
            run.stop(StopReason.HALTED);
            return true;
        } catch (RuntimeException | Error unknown) {
            log.debug("cannot tell yet whether {} is still ours", run.claim().id(), unknown);
            return !backoff.pauseUnlessInterrupted();
        }
    }
}
