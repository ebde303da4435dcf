package io.couchjobs.engine.claim;

import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.due.Candidates;
import io.couchjobs.engine.limit.Candidate;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.job.AcceptOptions;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Due jobs that were taken out of the known jobs, to be claimed in one request. Exactly one thread claims the pick or puts
 * it back, once. Not thread-safe.
 */
public final class Pick {
    private static final Logger log = LoggerFactory.getLogger(Pick.class);

    private final Parts parts;
    private final List<Candidate> candidates;
    private final AcceptOptions options;

    /** The parts that a claim needs; all picks of a worker share them. */
    record Parts(
            JobStore store,
            String worker,
            Limits limits,
            Claimer claimer,
            Candidates known,
            Waiter waiter,
            LongAdder conflicts) {}

    Pick(Parts parts, List<Candidate> candidates, AcceptOptions options) {
        this.parts = parts;
        this.candidates = candidates;
        this.options = options;
    }

    public int size() {
        return candidates.size();
    }

    /** Returns the jobs to the known jobs without claiming any. */
    public void putBack() {
        parts.known.notClaimed(candidates);
    }

    /**
     * Claims the jobs, in one request if possible.
     *
     * @return the jobs that this worker owns now; the other jobs were lost to other workers, or their limits have no room
     * @throws io.couchjobs.couch.config.CouchException when the results of some claims are unknown; stored claims are
     *     withdrawn or released
     */
    public List<LeasedJob> claim() {
        return parts.claimer.whileUnderWay(candidates, this::claimNow);
    }

    private List<LeasedJob> claimNow() {
        List<LeasedJob> won;
        try {
            List<Candidate> granted = parts.limits.grant(candidates);
            parts.known.putBack(candidates);
            won = granted.isEmpty() ? List.of() : parts.claimer.claim(granted, parts.worker, options.start());
        } catch (RuntimeException | Error trouble) {
            failed();
            if (trouble instanceof CouchJobsException known) {
                parts.store.claimTroubles().failed(parts.worker, known);
            }
            throw trouble;
        }
        noteUnlessItFails(won.size());
        if (!won.isEmpty() && won.size() < candidates.size()) {
            parts.waiter.wake(); // a thread that looked meanwhile did not see the jobs that were put back
        }
        return won;
    }

    private void failed() {
        parts.known.failed(candidates);
        parts.waiter.wake();
    }

    /** Notes the results. The claimed jobs are owned, and are handed out even when this step fails. */
    private void noteUnlessItFails(int won) {
        try {
            note();
        } catch (RuntimeException | Error e) {
            log.warn("{} claimed jobs are handed out, but their claims could not be noted", won, e);
            failed();
        }
    }

    private void note() {
        parts.known.answered(candidates, options.strategy());
        candidates.forEach(candidate -> note(parts, candidate));
        parts.store.claimTroubles().over(parts.worker);
    }

    /** Notes the result of one claim. */
    static void note(Parts parts, Candidate candidate) {
        switch (candidate.state()) {
            case FOUND, GRANTED -> {}
            case LOST -> lost(parts, candidate);
            case FORBIDDEN -> parts.limits.lost(candidate);
            case WON -> parts.store.listener().claimed(candidate.job(), candidate.claimed());
        }
    }

    private static void lost(Parts parts, Candidate candidate) {
        log.debug("lost the race for {}; going on with others", candidate.id());
        parts.conflicts.increment();
        parts.limits.lost(candidate);
        parts.store.listener().claimLost(candidate.job());
    }
}
