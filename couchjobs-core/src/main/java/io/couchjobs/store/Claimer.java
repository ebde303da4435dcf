package io.couchjobs.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.Transitions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Turns candidates into owned jobs, many in one request. Thread-safe. */
final class Claimer {
    private final JobStore store;
    private final StoreClock clock;
    private final SettingsStore settings;

    Claimer(JobStore store, StoreClock clock, SettingsStore settings) {
        this.store = store;
        this.clock = clock;
        this.settings = settings;
    }

    /**
     * Claims each candidate on the revision it carries.
     *
     * <p>Only a write that a quorum confirmed (201) makes an owner. A 202 is not ours, even if reading shows our token: on a
     * healthy cluster a quarter of the contended claims get two success answers, one 201 and one 202.
     */
    Claims claim(List<Job> candidates, String worker, boolean start) {
        List<String> tokens =
                candidates.stream().map(job -> UUID.randomUUID().toString()).toList();
        List<Job> attempts = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            attempts.add(Transitions.claim(candidates.get(i), tokens.get(i), worker, start, clock.instant())
                    .write()
                    .orElseThrow(() -> new IllegalStateException("candidates are pending")));
        }
        long sent = clock.nanos();
        List<WriteResult> written = store.writeAll(attempts);
        List<ClaimedJob> won = new ArrayList<>();
        List<Job> lost = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Job attempt = attempts.get(i);
            if (written.get(i) instanceof WriteResult.Stored stored) {
                won.add(new ClaimedJob(
                        store,
                        clock,
                        settings.retryPolicyOf(attempt.type()),
                        tokens.get(i),
                        attempt.withRev(stored.rev()),
                        new Lease(clock, () -> settings.timeoutOf(attempt.type()), sent)));
            } else {
                lost.add(candidates.get(i));
            }
        }
        return new Claims(won, lost);
    }

    /** What became of the candidates. */
    record Claims(List<ClaimedJob> won, List<Job> lost) {}
}
