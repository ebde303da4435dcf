package io.couchjobs.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A worker, as recorded in the database. Immutable and thread-safe.
 *
 * @param id the id of the worker
 * @param registered the registration; null for a worker that only owns jobs: a program in Python or JavaScript, a program that
 *     claims by hand, or a dead worker whose registration was deleted
 * @param jobs the jobs that the worker owns
 */
public record WorkerInfo(String id, @Nullable Registered registered, List<OwnedJob> jobs) {
    /** An upper bound for the time until the next sign of life of a worker whose jobs have ended. */
    private static final Duration IDLE = Duration.ofMinutes(5);

    private static final Duration GRACE = Duration.ofSeconds(20);

    /**
     * Copies the jobs.
     *
     * @param id the id of the worker
     * @param registered the registration, or null
     * @param jobs the jobs that the worker owns
     */
    public WorkerInfo {
        jobs = List.copyOf(jobs);
    }

    /**
     * The registration that a worker writes about itself. Immutable and thread-safe.
     *
     * @param at the last sign of life, by the worker's estimate of the server's clock
     * @param started when the worker started
     * @param pid the process id
     * @param types the types that the worker claims
     * @param next the planned time from {@code at} to the next sign of life: a third of the shortest timeout of the running jobs,
     *     at most five minutes
     */
    public record Registered(Instant at, Instant started, long pid, List<String> types, Duration next) {
        /**
         * Copies the types.
         *
         * @param at the last sign of life
         * @param started when the worker started
         * @param pid the process id
         * @param types the types that the worker claims
         * @param next the planned time from {@code at} to the next sign of life
         */
        public Registered {
            types = List.copyOf(types);
        }
    }

    /**
     * A job with an owner. Immutable and thread-safe.
     *
     * @param id the job
     * @param worker the owner's id
     * @param rev the revision of the job with this owner
     */
    public record OwnedJob(JobId id, String worker, String rev) {}

    /** {@return the registration, if the worker is registered} */
    public Optional<Registered> registration() {
        return Optional.ofNullable(registered);
    }

    /**
     * Returns whether the worker gives no sign of life. This does not mean that the worker is dead: only the activity monitor,
     * which compares no clocks, decides that.
     *
     * @param now the server's time
     * @return true when the worker is not registered or two signs of life are overdue. This takes about one minute if the worker
     *     owns jobs with a timeout of a minute, and about ten minutes if it owns no jobs
     */
    public boolean isSilent(Instant now) {
        return registered == null
                || registered
                        .at()
                        .plus(pause(registered).multipliedBy(2))
                        .plus(GRACE)
                        .isBefore(now);
    }

    /**
     * Returns whether the worker runs jobs of a type, according to the database. A registered worker must be registered for the
     * type and give signs of life. An unregistered worker must own a job of the type.
     *
     * @param type a type
     * @param now the server's time
     * @return whether the worker runs such jobs
     */
    public boolean runs(String type, Instant now) {
        return registered == null
                ? jobs.stream().anyMatch(job -> job.id().type().equals(type))
                : !isSilent(now) && registered.types().contains(type);
    }

    private Duration pause(Registered known) {
        return jobs.isEmpty() && known.next().compareTo(IDLE) < 0 ? IDLE : known.next();
    }
}
