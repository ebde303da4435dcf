package io.couchjobs.store;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.job.Job;
import io.couchjobs.job.Transitions;
import java.util.ArrayList;
import java.util.List;

/** Turns candidates into owned jobs, many in one request. Thread-safe. */
final class Claimer implements AutoCloseable {
    private final JobStore store;
    private final StoreClock clock;
    private final SettingsStore settings;
    private final Limits limits;
    private final Ties ties;
    private final DoubtfulClaims doubtful;

    Claimer(Acceptor.Parts parts, Limits limits, Ties ties) {
        this.store = parts.store();
        this.clock = parts.clock();
        this.settings = parts.settings();
        this.limits = limits;
        this.ties = ties;
        this.doubtful = new DoubtfulClaims(parts, limits, ties);
    }

    /**
     * Claims each candidate on the revision it carries, with the token it was admitted with.
     *
     * <p>Only a write that a quorum confirmed (201) makes an owner. A 202 is not ours, even if reading shows our token: on a
     * healthy cluster a quarter of the contended claims get two success answers, one 201 and one 202. Such a claim is withdrawn
     * at once, and the job left alone for a while; so is one whose answer was lost on a cluster. One that is confirmed when its
     * lease is over makes no owner either, and is given back.
     *
     * @throws RuntimeException when it is not known of all what became of them; those that were stored are given back
     */
    Claims claim(List<Limits.Grant> candidates, String worker, boolean start) {
        List<Job> attempts = candidates.stream()
                .map(candidate -> Transitions.claim(candidate.job(), candidate.token(), worker, start, candidate.at())
                        .write()
                        .orElseThrow(() -> new IllegalStateException("candidates are pending")))
                .toList();
        long sent = clock.nanos();
        List<WriteResult> written = write(candidates, attempts, sent);
        List<ClaimedJob> won = new ArrayList<>();
        List<Limits.Grant> lost = new ArrayList<>();
        List<Limits.Grant> late = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            Limits.Grant candidate = candidates.get(i);
            if (written.get(i) instanceof WriteResult.Stored stored) {
                ClaimedJob claim = claimed(candidate, attempts.get(i).withRev(stored.rev()), sent);
                if (claim.isLeaseOver()) {
                    late.add(candidate);
                } else {
                    won.add(claim);
                }
            } else {
                lost.add(candidate);
                if (written.get(i) instanceof WriteResult.Accepted accepted) {
                    Job claim = attempts.get(i).withRev(accepted.rev());
                    store.withdrawals().withdraw(claim, "no quorum confirmed the claim", clock.instant());
                    ties.tied(claim.id());
                }
            }
        }
        long inVain =
                written.stream().filter(WriteResult.Accepted.class::isInstance).count();
        ties.claimed(written.size(), (int) inVain);
        if (!late.isEmpty()) {
            // This process was stopped, or the answer was slow: others may have these jobs already.
            doubtful.add(late, sent);
        }
        return new Claims(won, lost);
    }

    @Override
    public void close() {
        doubtful.close();
    }

    private List<WriteResult> write(List<Limits.Grant> candidates, List<Job> attempts, long sent) {
        try {
            return store.writeAll(attempts);
        } catch (RuntimeException | Error trouble) {
            doubtful.add(candidates, sent);
            throw trouble;
        }
    }

    private ClaimedJob claimed(Limits.Grant candidate, Job job, long sent) {
        Runnable onEnd = candidate.slots().isEmpty() ? () -> {} : () -> limits.ended(candidate);
        Lease lease = new Lease(clock, () -> settings.timeoutOf(job.type()), sent);
        return new ClaimedJob(store, clock, settings.retryPolicyOf(job.type()), candidate.token(), job, lease, onEnd);
    }

    /** What became of the candidates. */
    record Claims(List<ClaimedJob> won, List<Limits.Grant> lost) {}
}
