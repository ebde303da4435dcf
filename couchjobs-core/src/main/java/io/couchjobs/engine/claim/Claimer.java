package io.couchjobs.engine.claim;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.lifecycle.ClaimSignature;
import io.couchjobs.engine.lifecycle.Transitions;
import io.couchjobs.engine.limit.Candidate;
import io.couchjobs.engine.limit.Limits;
import io.couchjobs.engine.settings.QueueParts;
import io.couchjobs.engine.settings.SettingsStore;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.WriteRefusedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the claims of candidates, many in one request, and evaluates the answers. Thread-safe. */
final class Claimer {
    private static final Logger log = LoggerFactory.getLogger(Claimer.class);

    private final QueueParts parts;
    private final JobStore store;
    private final ServerClock clock;
    private final SettingsStore settings;
    private final Limits limits;
    private final UnconfirmedClaims unconfirmed;
    private final RivalLeaves rivals;
    private final Optional<String> login;

    Claimer(QueueParts parts, Limits limits, UnconfirmedClaims unconfirmed) {
        this.parts = parts;
        this.store = parts.store();
        this.clock = parts.clock();
        this.settings = parts.settings();
        this.limits = limits;
        this.unconfirmed = unconfirmed;
        this.rivals = new RivalLeaves(parts.store());
        this.login = store.database().server().config().auth().login();
    }

    /**
     * Claims each candidate on the revision it carries, with the candidate's token. Must be called inside
     * {@link #whileUnderWay}.
     *
     * <p>Only a write that a majority confirmed (201) can make an owner. A 202 does not, even if a reading shows our token. On
     * a healthy cluster, a quarter of the contended jobs get two stored claims, one answered 201 and the other 202. A claim
     * answered 202 is withdrawn in the background, and the worker does not try the job again for a random pause. The same holds
     * on a cluster for a claim whose answer was lost, and for a confirmed claim that another leaf contests
     * ({@link RivalLeaves}). A claim that is confirmed after its lease is over makes no owner: it is released on one node, and
     * withdrawn on a cluster.
     *
     * @return the jobs that this worker owns now, in the order of the candidates. Each candidate is marked as won, lost or
     *     forbidden
     * @throws RuntimeException when the results of some claims are unknown; stored claims are withdrawn or released
     */
    List<LeasedJob> claim(List<Candidate> candidates, String worker, boolean start) {
        List<Job> claims = candidates.stream()
                .map(candidate -> Transitions.claim(candidate.job(), candidate.token(), worker, start, candidate.at())
                        .write()
                        .orElseThrow(() -> new IllegalStateException("candidates are pending")))
                .map(this::signed)
                .toList();
        return claim(candidates, claims);
    }

    /**
     * Runs a task that claims candidates. Until the task returns, all their claims count as held by this process: the won
     * jobs do not run yet, and a listener that learns of them may take long.
     */
    <T> T whileUnderWay(List<Candidate> candidates, Supplier<T> claiming) {
        List<String> tokens = candidates.stream().map(Candidate::token).toList();
        store.writer().claimsUnderWay().addAll(tokens);
        try {
            return claiming.get();
        } finally {
            store.writer().claimsUnderWay().removeAll(tokens);
        }
    }

    private List<LeasedJob> claim(List<Candidate> candidates, List<Job> claims) {
        long sent = clock.nanos();
        List<WriteResult> answers = write(candidates, claims, sent);
        requireRole(candidates, answers, sent);
        try {
            return owned(answered(candidates, claims, answers), sent);
        } catch (RuntimeException | Error trouble) {
            recover(candidates, sent);
            throw trouble;
        }
    }

    private static List<Answered> answered(List<Candidate> candidates, List<Job> claims, List<WriteResult> answers) {
        List<Answered> answered = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            Job claim = claims.get(i);
            Job stored = storedRev(answers.get(i)).map(claim::withRev).orElse(claim);
            answered.add(new Answered(candidates.get(i), stored, answers.get(i)));
        }
        return answered;
    }

    /**
     * Throws when the user may not claim. Otherwise each refusal would count as a lost race, and the worker would retry for
     * ever.
     */
    private void requireRole(List<Candidate> candidates, List<WriteResult> answers, long sent) {
        Optional<WriteResult.Refused> refusal = answers.stream()
                .filter(WriteResult.Refused.class::isInstance)
                .map(WriteResult.Refused.class::cast)
                .filter(WriteRefusedException::isForWantOfRole)
                .findFirst();
        if (refusal.isPresent()) {
            List<Candidate> stored = new ArrayList<>();
            for (int i = 0; i < answers.size(); i++) {
                if (storedRev(answers.get(i)).isPresent()) {
                    stored.add(candidates.get(i));
                } else {
                    limits.lost(candidates.get(i));
                }
            }
            recover(stored, sent);
            throw new WriteRefusedException(refusal.get());
        }
    }

    private Job signed(Job claimed) {
        return login.map(user -> ClaimSignature.sign(claimed, user)).orElse(claimed);
    }

    private List<LeasedJob> owned(List<Answered> answered, long sent) {
        Map<JobId, RivalLeaves.Standing> standings = rivals.of(answered.stream()
                .filter(one -> one.isConfirmed() && RivalLeaves.mayExist(one.candidate.job()))
                .toList());
        List<LeasedJob> won = new ArrayList<>();
        List<Candidate> doubted = new ArrayList<>();
        List<Candidate> failed = new ArrayList<>();
        for (Answered one : answered) {
            if (one.answer instanceof WriteResult.Refused refusal) {
                leaveAlone(one.candidate, refusal);
                if (refusal.isFailure()) {
                    failed.add(one.candidate);
                }
                continue;
            }
            RivalLeaves.Standing standing = standings.getOrDefault(one.job.id(), RivalLeaves.Standing.ALONE);
            if (!one.isConfirmed() || standing == RivalLeaves.Standing.CONTESTED) {
                one.candidate.lost();
                withdraw(one);
                continue;
            }
            LeasedJob claim = claimed(one.candidate, one.job, sent);
            // The lease is over when this process was suspended, or the answer was slow. Another worker may own the job
            // by now.
            if (standing == RivalLeaves.Standing.UNKNOWN || claim.isLeaseOver()) {
                doubted.add(one.candidate);
            } else {
                one.candidate.won(one.job);
                won.add(claim);
            }
        }
        recover(doubted, sent);
        recover(failed, sent);
        unconfirmed.claimed(
                answered.size(),
                doubted.size()
                        + (int) answered.stream().filter(Answered::isAccepted).count());
        return won;
    }

    /**
     * Leaves a refused candidate alone for a while. No other worker was first: a rule of the database refuses this claim
     * and the next one, or the server fails on the document. The claim leads to no run, so its slots are free at once, even
     * if the server has stored it.
     */
    private void leaveAlone(Candidate candidate, WriteResult.Refused refusal) {
        candidate.forbidden();
        if (unconfirmed.refused(candidate.id())) {
            String reason = new WriteRefusedException(refusal).getMessage();
            log.warn("{} cannot be claimed, and is tried again from time to time: {}", candidate.id(), reason);
        }
    }

    private void withdraw(Answered lost) {
        if (storedRev(lost.answer).isPresent()) {
            String reason = lost.isConfirmed() ? "the job has another leaf" : "no quorum confirmed the claim";
            store.claimRecovery().withdraw(lost.job, reason, clock.instant());
            unconfirmed.tied(lost.job.id());
        }
    }

    /** Withdraws or releases claims that may have been stored, but lead to no run. */
    private void recover(List<Candidate> claims, long sentNanos) {
        List<LostClaim> lost = claims.stream()
                .map(claim -> new LostClaim(
                        parts, limits, unconfirmed, claim, lease(claim.job().type(), sentNanos)))
                .toList();
        store.claimRecovery().recover(lost, clock.instant());
    }

    private List<WriteResult> write(List<Candidate> candidates, List<Job> claims, long sent) {
        try {
            return store.writer().writeAll(claims);
        } catch (RuntimeException | Error trouble) {
            recover(candidates, sent);
            throw trouble;
        }
    }

    private static Optional<String> storedRev(WriteResult answer) {
        if (answer instanceof WriteResult.Stored stored) {
            return Optional.of(stored.rev());
        }
        return answer instanceof WriteResult.Accepted accepted ? Optional.of(accepted.rev()) : Optional.empty();
    }

    private LeasedJob claimed(Candidate candidate, Job job, long sent) {
        Runnable onEnd = candidate.hasSlots() ? () -> limits.ended(candidate) : () -> {};
        Lease lease = lease(job.type(), sent);
        return new LeasedJob(store, clock, settings.retryPolicyOf(job.type()), candidate.token(), job, lease, onEnd);
    }

    private Lease lease(String type, long sent) {
        return new Lease(clock, () -> settings.timeoutOf(type), renewed -> settings.silentSince(type, renewed), sent);
    }

    /** A candidate with the answer to its claim, and the job as claimed, with the stored revision if there is one. */
    record Answered(Candidate candidate, Job job, WriteResult answer) {
        boolean isConfirmed() {
            return answer instanceof WriteResult.Stored;
        }

        boolean isAccepted() {
            return answer instanceof WriteResult.Accepted;
        }
    }
}
