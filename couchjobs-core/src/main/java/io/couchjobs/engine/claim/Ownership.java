package io.couchjobs.engine.claim;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.lifecycle.ClusterTransitions;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.store.Leaves;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.engine.time.Lane;
import io.couchjobs.engine.time.ServerClock;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.HaltException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobStatus;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The job as a claim knows it, and the writes of the claim while it owns the job. A claim writes on the revision that it
 * knows. When another process has written the job, the claim writes again on the newer revision, while the lock carries its
 * token. When no majority confirmed a write, the claim sends the same bytes again. Thread-safe; the writes happen one after
 * the other.
 */
public final class Ownership {
    private static final int MOST_ATTEMPTS = 20;

    /**
     * The number of consecutive failures of a single node on a document after which a write counts as refused: about 20
     * seconds.
     */
    private static final int MOST_FAILURES = 10;

    private final JobStore store;
    private final ServerClock clock;
    private final String token;
    private final Lease lease;
    /** Read without a turn: a write that hangs may hold the turn for long, and the lease keeper must not wait for the write. */
    private volatile Job job;

    private final ClaimCheck check;
    /** The note that goes with the next write of any kind. */
    private final Untold untold;

    private final SentWrites unconfirmed;
    /**
     * The last unconfirmed write as stored, if it was an end and its confirmation came after the lease was over. Another
     * worker may have claimed the job by then.
     */
    private @Nullable Job lateEnd;
    /** Whether a write that fails the job met a conflict on a cluster. One copy may have stored that write. */
    private boolean mayHaveFailed;

    private final WriteTurns turns;

    Ownership(JobStore store, ServerClock clock, String token, Job job, Lease lease, Runnable onEnd) {
        this.store = store;
        this.clock = clock;
        this.token = token;
        this.job = job;
        this.lease = lease;
        this.check = new ClaimCheck(store, job.id(), token, lease, onEnd);
        this.unconfirmed = new SentWrites(clock);
        this.untold = new Untold(job.id());
        this.turns = new WriteTurns(store.environment());
    }

    Job job() {
        return job;
    }

    /**
     * Returns the job with its attached data, and keeps the data. Reads attached data that is not known yet, outside of the
     * monitor.
     */
    Job withData() {
        Job read = store.withData(job);
        return turns.alone(() -> {
            job = job.withDataOf(read);
            return read;
        });
    }

    Untold untold() {
        return untold;
    }

    boolean hasSomethingToTell() {
        return untold.note() != null && job.isLockedBy(token);
    }

    /**
     * Reads the job again.
     *
     * @throws HaltException when this claim no longer owns the job
     */
    void check() {
        var unused = turns.alone(this::checkNow);
    }

    private Job checkNow() {
        check.haltIfTold(job);
        check.haltIfLeaseIsOver(job);
        Leaves present = check.majorityLeaves()
                .orElseThrow(() -> new CouchJobsException("no majority of the copies of job " + job.id()
                        + " is in reach; nobody can tell whether it is owned still"));
        job = check.owned(present, job);
        return job;
    }

    /** Runs a task while no write of this claim is under way, and while none can begin. */
    <T> T alone(Supplier<T> work) {
        return turns.alone(work);
    }

    /**
     * Sends a write without waiting for the answer.
     *
     * @return empty when an earlier write must be settled first, which {@link #write} does. Otherwise a future that is
     *     completed in the lane; its value is the stored job, or empty when {@link #write} must repeat the write
     */
    Optional<CompletableFuture<Optional<Job>>> writeBehind(BiFunction<Job, Instant, Decision> rule, Lane lane) {
        Note told = untold.note();
        return turns.behind(() -> send(rule, told), written -> stored(written, told), lane);
    }

    private Optional<CompletableFuture<WriteResult>> send(
            BiFunction<Job, Instant, Decision> rule, @Nullable Note told) {
        if (!unconfirmed.isEmpty() || !job.isLockedBy(token) || check.isEnded() || lease.isOver()) {
            return Optional.empty();
        }
        Instant now = clock.instant();
        return store.attaching(rule.apply(Untold.with(told, job, now), now)).map(next -> {
            var unused = unconfirmed.add(next);
            return store.writer().writeSoon(next, () -> !lease.isOver());
        });
    }

    private Optional<Job> stored(@Nullable WriteResult written, @Nullable Note told) {
        if (!(written instanceof WriteResult.Stored stored)) {
            return Optional.empty();
        }
        SentWrites.Sent sent = unconfirmed.last();
        Job next = sent.job().withRev(stored.rev());
        if (lease.isOver()) {
            lateEnd = next.isLockedBy(token) ? null : next;
            return Optional.empty();
        }
        untold.stored(told);
        confirmed(next, sent.nanos());
        return Optional.of(job);
    }

    /**
     * Writes the job as a rule changes it, until the write is confirmed.
     *
     * @throws HaltException when this claim no longer owns the job
     */
    Job write(BiFunction<Job, Instant, Decision> rule) {
        return turns.alone(() -> writeNow(rule));
    }

    private Job writeNow(BiFunction<Job, Instant, Decision> rule) {
        Instant now = clock.instant();
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(5), Duration.ofMillis(500));
        if (!job.isLockedBy(token)) {
            throw new HaltException(job.id(), "is " + job.status().json() + " by this owner's own doing");
        }
        check.haltIfTold(job);
        if (unconfirmed.isEmpty() && lease.isOver()) {
            // On a cluster the own revision may be a losing leaf, where a write would succeed without effect.
            check.majorityLeaves().ifPresent(present -> job = check.owned(present, job));
        }
        if (lateEnd != null && check.isAhead(lateEnd)) {
            confirmed(lateEnd, unconfirmed.last().nanos());
            return job;
        }
        try {
            if (mustRepeatItself() && settles(unconfirmed.last().job()) && !job.isLockedBy(token)) {
                return job;
            }
        } catch (WriteRefusedException refused) {
            return writeNow(rule); // without the note of that write, if the note may have caused the refusal
        }
        while (backoff.attempts() < MOST_ATTEMPTS) {
            Note told = untold.note();
            Decision decision = decide(rule, told, now);
            Optional<Job> next = store.attaching(decision);
            if (next.isEmpty()) {
                return unchanged(decision);
            }
            check.haltIfLeaseIsOver(next.get());
            try {
                if (settles(next.get())) {
                    untold.stored(told);
                    return job;
                }
            } catch (WriteRefusedException refused) {
                untold.refused(told, refused);
            }
            pause(backoff);
        }
        throw new ContentionException(job.id(), backoff.attempts());
    }

    /**
     * Decides on the next write. One copy may have stored a failure of the job, which counts more than a cancellation. In
     * this case a later cancel request is ignored.
     */
    private Decision decide(BiFunction<Job, Instant, Decision> rule, @Nullable Note told, Instant now) {
        Decision decision = rule.apply(Untold.with(told, job, now), now);
        boolean cancels = decision.write()
                .filter(next -> next.status() == JobStatus.CANCELLED)
                .isPresent();
        return mayHaveFailed && cancels
                ? rule.apply(Untold.with(told, ClusterTransitions.withoutCancelRequest(job), now), now)
                : decision;
    }

    /**
     * {@return whether an earlier write must be settled first} On a cluster, two different writes on one revision could
     * both be stored.
     */
    private boolean mustRepeatItself() {
        return !unconfirmed.isEmpty() && store.isCluster();
    }

    /** Repeats a write until it is confirmed or refused. Returns true when it is confirmed. */
    private boolean settles(Job wanted) {
        Job next = wanted;
        boolean isDisputed = !unconfirmed.isEmpty();
        int failures = 0;
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(50), Duration.ofSeconds(5));
        while (true) {
            long sent = unconfirmed.add(next).nanos();
            boolean wasDisputed = isDisputed;
            WriteResult written = store.writer().write(next, () -> !wasDisputed && !lease.isOver());
            if (written instanceof WriteResult.Stored stored) {
                check.haltIfLeaseIsOver(next);
                if (!(isDisputed || lease.isOver()) || check.isAhead(next)) {
                    confirmed(next.withRev(stored.rev()), sent);
                    return true;
                }
            }
            failures = written.isFailure() ? failures + 1 : 0;
            if (written instanceof WriteResult.Refused refused && !mayBeStored(failures)) {
                unconfirmed.refused(next);
                throw new WriteRefusedException(refused);
            }
            isDisputed = true;
            // A minority refuses a write that it has already stored, and would show the write as if all copies had it.
            Optional<Leaves> conflicting =
                    written instanceof WriteResult.Conflict ? check.majorityLeaves() : Optional.empty();
            if (conflicting.isPresent()) {
                Leaves present = conflicting.get();
                Optional<Job> inPlace = inPlace(present, wanted);
                if (inPlace.isEmpty()) {
                    job = check.owned(present, job);
                    unconfirmed.clear();
                    mayHaveFailed |= store.isCluster() && wanted.status() == JobStatus.FAILED;
                    return false;
                }
                if (!store.isCluster()) {
                    confirmed(inPlace.get(), sent);
                    return true;
                }
                next = ClusterTransitions.keep(inPlace.get(), clock.instant());
            }
            // An unconfirmed write proves nothing, so the same write is repeated.
            check.haltIfLeaseIsOver();
            pause(backoff);
            check.haltIfLeaseIsOver();
        }
    }

    /**
     * {@return whether a failed write may be stored} On a cluster one copy may have stored it. On one node each failure was
     * looked up.
     */
    private boolean mayBeStored(int failures) {
        return failures > 0 && (store.isCluster() || failures < MOST_FAILURES);
    }

    /**
     * Returns the leaf that an earlier attempt of this write made, if the conflict is with that leaf. The attempt was
     * stored, but its answer was lost or was a 202. On a cluster, reading the leaf does not prove that a majority has it.
     * So the job must be written once more, unchanged.
     */
    private Optional<Job> inPlace(Leaves present, Job wanted) {
        Optional<Job> inPlace = present.first(leaf ->
                ClusterTransitions.isStill(leaf, wanted) || (!leaf.isLockedBy(token) && unconfirmed.haveMade(leaf)));
        inPlace.ifPresent(own -> check.haltIfRivalled(present, own));
        return inPlace.map(own -> own.withDataOf(wanted));
    }

    private void confirmed(Job stored, long sent) {
        job = stored;
        lease.renewed(sent);
        unconfirmed.clear();
        if (!stored.isLockedBy(token)) {
            check.end();
        }
    }

    void whenEnded(Runnable told) {
        check.whenEnded(told);
    }

    private static Job unchanged(Decision decision) {
        if (decision.isRefused()) {
            throw new HaltException(
                    decision.before().id(), "is " + decision.before().status().json());
        }
        return decision.before();
    }

    private void pause(Backoff backoff) {
        if (!backoff.pauseUnlessInterrupted()) {
            throw new CouchJobsException("interrupted while writing job " + job.id() + "; the job keeps its lock");
        }
    }
}
