package io.couchjobs.engine.claim;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.engine.lifecycle.ClaimSignature;
import io.couchjobs.engine.lifecycle.Transitions;
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

/** Turns candidates into owned jobs, many in one request. Thread-safe. */
public final class Claimer {
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
     * Claims each candidate on the revision it carries, with the token it was admitted with.
     *
     * <p>Nothing but a write that a quorum confirmed (201) can make an owner. A 202 is not ours, even if reading shows
     * our token: on a healthy cluster a quarter of the contended jobs get two claims that are both stored, one answered
     * 201 and the other 202. Such a claim is withdrawn at once, and the job left alone for a while; so is one whose
     * answer was lost on a cluster, and a confirmed one that another leaf contests ({@link RivalLeaves}). Until all of
     * that is done the claims count as held by this process. A claim that is confirmed when its lease is over makes no
     * owner either, and is given back.
     *
     * @throws RuntimeException when the results of some claims are unknown; stored claims are given back
     */
    Claims claim(List<Limits.Grant> candidates, String worker, boolean start) {
        List<Job> attempts = candidates.stream()
                .map(candidate -> Transitions.claim(candidate.job(), candidate.token(), worker, start, candidate.at())
                        .write()
                        .orElseThrow(() -> new IllegalStateException("candidates are pending")))
                .map(this::signed)
                .toList();
        List<String> tokens = candidates.stream().map(Limits.Grant::token).toList();
        store.claimsUnderWay().addAll(tokens);
        try {
            return claim(candidates, attempts);
        } finally {
            store.claimsUnderWay().removeAll(tokens);
        }
    }

    private Claims claim(List<Limits.Grant> candidates, List<Job> attempts) {
        long sent = clock.nanos();
        List<Attempt> answered = new ArrayList<>();
        List<WriteResult> written = write(candidates, attempts, sent);
        for (int i = 0; i < written.size(); i++) {
            answered.add(Attempt.of(candidates.get(i), attempts.get(i), written.get(i)));
        }
        requireRole(answered, sent);
        int inVain = (int) answered.stream().filter(Attempt::isUnconfirmed).count();
        unconfirmed.claimed(answered.size(), inVain);
        try {
            return sorted(withData(answered), sent);
        } catch (RuntimeException | Error trouble) {
            recover(candidates, sent);
            throw trouble;
        }
    }

    /** Jobs that were stored together are handed out together, and share the reading of their data. */
    private List<Attempt> withData(List<Attempt> answered) {
        List<Job> jobs = store.withData(answered.stream().map(Attempt::job).toList());
        List<Attempt> readable = new ArrayList<>();
        for (int i = 0; i < answered.size(); i++) {
            readable.add(new Attempt(answered.get(i).candidate, jobs.get(i), answered.get(i).answer));
        }
        return readable;
    }

    /** A user without the right to claim would take each refusal for a lost race, and try for ever. */
    private void requireRole(List<Attempt> answered, long sent) {
        answered.stream()
                .map(Attempt::answer)
                .filter(WriteResult.Refused.class::isInstance)
                .map(WriteResult.Refused.class::cast)
                .filter(WriteRefusedException::isForWantOfRole)
                .findFirst()
                .ifPresent(refused -> {
                    answered.stream().filter(one -> !one.isStored()).forEach(one -> limits.lost(one.candidate));
                    recover(
                            answered.stream()
                                    .filter(Attempt::isStored)
                                    .map(Attempt::candidate)
                                    .toList(),
                            sent);
                    throw new WriteRefusedException(refused);
                });
    }

    private Job signed(Job claimed) {
        return login.map(user -> ClaimSignature.sign(claimed, user)).orElse(claimed);
    }

    private Claims sorted(List<Attempt> answered, long sent) {
        Map<JobId, RivalLeaves.Standing> standings = rivals.of(answered.stream()
                .filter(one -> one.isConfirmed() && RivalLeaves.mayExist(one.candidate.job()))
                .map(one -> new RivalLeaves.Claim(one.candidate.job().rev().orElse(""), one.job))
                .toList());
        Claims claims = new Claims(new ArrayList<>(), new ArrayList<>());
        List<Limits.Grant> doubted = new ArrayList<>();
        for (Attempt one : answered) {
            RivalLeaves.Standing standing = standings.getOrDefault(one.job.id(), RivalLeaves.Standing.ALONE);
            if (!one.isConfirmed() || standing == RivalLeaves.Standing.CONTESTED) {
                claims.lost.add(one.candidate);
                withdraw(one);
                continue;
            }
            LeasedJob claim = claimed(one.candidate, one.job, sent);
            // When the lease is over this process was stopped, or an answer was slow: others may have the job already.
            if (standing == RivalLeaves.Standing.UNKNOWN || claim.isLeaseOver()) {
                doubted.add(one.candidate);
            } else {
                claims.won.add(claim);
            }
        }
        recover(doubted, sent);
        return claims;
    }

    private void withdraw(Attempt lost) {
        if (lost.isStored()) {
            String reason = lost.isConfirmed() ? "the job has another leaf" : "no quorum confirmed the claim";
            store.claimRecovery().withdraw(lost.job, reason, clock.instant());
            unconfirmed.tied(lost.job.id());
        }
    }

    /** No run comes of claims that were sent then, and may have been stored. */
    private void recover(List<Limits.Grant> claims, long sentNanos) {
        List<LostClaim> lost = claims.stream()
                .map(claim -> new LostClaim(
                        parts, limits, unconfirmed, claim, lease(claim.job().type(), sentNanos)))
                .toList();
        store.claimRecovery().recover(lost, clock.instant());
    }

    private List<WriteResult> write(List<Limits.Grant> candidates, List<Job> attempts, long sent) {
        try {
            return store.writeAll(attempts);
        } catch (RuntimeException | Error trouble) {
            recover(candidates, sent);
            throw trouble;
        }
    }

    private LeasedJob claimed(Limits.Grant candidate, Job job, long sent) {
        Runnable onEnd = candidate.slots().isEmpty() ? () -> {} : () -> limits.ended(candidate);
        Lease lease = lease(job.type(), sent);
        return new LeasedJob(store, clock, settings.retryPolicyOf(job.type()), candidate.token(), job, lease, onEnd);
    }

    private Lease lease(String type, long sent) {
        return new Lease(clock, () -> settings.timeoutOf(type), sent);
    }

    /** A claim that was answered; the job as it was stored, if it was. */
    private record Attempt(Limits.Grant candidate, Job job, WriteResult answer) {
        static Attempt of(Limits.Grant candidate, Job job, WriteResult answer) {
            if (answer instanceof WriteResult.Stored stored) {
                return new Attempt(candidate, job.withRev(stored.rev()), answer);
            }
            return answer instanceof WriteResult.Accepted accepted
                    ? new Attempt(candidate, job.withRev(accepted.rev()), answer)
                    : new Attempt(candidate, job, answer);
        }

        boolean isConfirmed() {
            return answer instanceof WriteResult.Stored;
        }

        boolean isUnconfirmed() {
            return answer instanceof WriteResult.Accepted;
        }

        boolean isStored() {
            return isConfirmed() || isUnconfirmed();
        }
    }

    /** The results of the candidates. */
    record Claims(List<LeasedJob> won, List<Limits.Grant> lost) {}
}
