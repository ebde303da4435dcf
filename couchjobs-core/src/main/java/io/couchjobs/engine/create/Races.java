package io.couchjobs.engine.create;

import io.couchjobs.couch.WriteResult;
import io.couchjobs.couch.config.CouchJobsException;
import io.couchjobs.engine.document.Rev;
import io.couchjobs.engine.lifecycle.Decision;
import io.couchjobs.engine.store.Confirmation;
import io.couchjobs.engine.store.JobStore;
import io.couchjobs.engine.time.Backoff;
import io.couchjobs.job.ContentionException;
import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import io.couchjobs.job.NotFoundException;
import io.couchjobs.job.UnconfirmedException;
import io.couchjobs.job.WriteRefusedException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes jobs that other writers may change at the same time. Each write tells whether it was first, and is tried again
 * a bounded number of times. Thread-safe.
 */
final class Races {
    private static final int MOST_ATTEMPTS = 12;

    private final JobStore store;
    private final InstantSource clock;

    Races(JobStore store, InstantSource clock) {
        this.store = store;
        this.clock = clock;
    }

    /**
     * Carries out a decision.
     *
     * @return the job as it is now; empty when another writer was first, or when the change does not {@linkplain
     *     Confirmation#stands stand}
     */
    Optional<Job> won(Decision decision) {
        if (decision.before().isWithdrawn()) {
            return Optional.empty(); // its leaves cannot be resolved now
        }
        Optional<Job> next = store.attaching(decision);
        if (next.isEmpty()) {
            return store.confirmation().ofFound(decision.before());
        }
        WriteResult written = WriteRefusedException.check(store.writer().write(next.get()));
        if (written instanceof WriteResult.Stored stored) {
            Optional<Job> won = Optional.of(next.get().withRev(stored.rev())).filter(store.confirmation()::stands);
            if (won.isEmpty()) {
                store.look(next.get()
                        .id()); // readers see no tombstone beside the job, so only a reading of all leaves finds it
            }
            return won;
        }
        return written instanceof WriteResult.Accepted accepted
                ? store.confirmation().of(next.get().id(), accepted.rev(), clock)
                : Optional.empty();
    }

    /**
     * Reads a job that is to be changed.
     *
     * @return the job; empty when this node does not have it but a majority has
     * @throws NotFoundException when there is no such job
     * @throws UnconfirmedException when this node does not have the job, and no majority of the copies is in reach
     */
    Optional<Job> present(JobId id) {
        Optional<Job> job = store.readToChange(id);
        if (job.isEmpty() && store.isMissing(id)) {
            throw new NotFoundException(id);
        }
        return job;
    }

    /** Returns the new job as stored; empty when another writer was first, or wrote at the same time and has won. */
    Optional<Job> stored(Job job, WriteResult written) {
        WriteRefusedException.check(written);
        if (written instanceof WriteResult.Stored stored) {
            return Optional.of(job.withRev(stored.rev()));
        }
        return written instanceof WriteResult.Accepted accepted ? unconfirmed(job, accepted.rev()) : Optional.empty();
    }

    /**
     * Confirms a new job. A job that was created on top of a tombstone is not new: other processes may know the job,
     * and have run it.
     */
    private Optional<Job> unconfirmed(Job job, String rev) {
        if (Rev.generation(rev) > 1) {
            return store.confirmation().of(job.id(), rev, clock);
        }
        return store.confirmation()
                .found(job)
                .filter(found -> !(found instanceof WriteResult.Conflict))
                .map(inPlace -> job.withRev(rev));
    }

    /**
     * Returns the new job as stored. If no quorum confirmed it, and the copies in reach have no job of this id, writes
     * the same bytes again. Other bytes would make another leaf.
     *
     * @param stored reads the result of a write, as {@link #stored} does
     * @return the job; empty only when another job of its id exists
     * @throws UnconfirmedException when it stays unknown whether the job is stored
     */
    Optional<Job> inserted(Job job, WriteResult written, Function<WriteResult, Optional<Job>> stored) {
        Optional<Job> inserted = stored.apply(written);
        return inserted.isPresent() || !(written instanceof WriteResult.Accepted) ? inserted : again(job, stored);
    }

    private Optional<Job> again(Job job, Function<WriteResult, Optional<Job>> stored) {
        try {
            List<Job> inserted = untilWon(job.id(), () -> {
                Optional<WriteResult> found = store.confirmation().found(job);
                return found.filter(WriteResult.Conflict.class::isInstance).isPresent()
                        ? Optional.of(List.of())
                        : stored.apply(found.orElseGet(() -> store.writer().write(job)))
                                .map(List::of);
            });
            return inserted.stream().findFirst();
        } catch (ContentionException unknown) {
            throw new UnconfirmedException(job.id(), unknown);
        }
    }

    /** Repeats an attempt until it is first. An empty result means that another writer was first. */
    <T> T untilWon(JobId id, Supplier<Optional<T>> attempt) {
        Backoff backoff = new Backoff(store.environment(), Duration.ofMillis(5), Duration.ofMillis(500));
        while (backoff.attempts() < MOST_ATTEMPTS) {
            Optional<T> outcome = attempt.get();
            if (outcome.isPresent()) {
                return outcome.get();
            }
            if (!backoff.pauseUnlessInterrupted()) {
                throw new CouchJobsException(
                        "interrupted while changing job " + id + "; the change may have been stored");
            }
        }
        throw new ContentionException(id, backoff.attempts());
    }
}
