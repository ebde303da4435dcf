package io.couchjobs.job;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A worker as the database knows it. Immutable and thread-safe.
 *
 * @param id its id
 * @param registered its registration; null for one that only owns jobs: a program in Python or JavaScript, one that claims by hand, or a dead worker
 *     whose registration is deleted
 * @param jobs the jobs that it owns
 */
public record WorkerInfo(String id, @Nullable Registered registered, List<OwnedJob> jobs) {
    /** A worker whose jobs have ended says so with its next sign of life, which may take so long. */
    private static final Duration IDLE = Duration.ofMinutes(5);

    private static final Duration GRACE = Duration.ofSeconds(20);

    /**
     * A worker.
     *
     * @param id its id
     * @param registered its registration, or null
     * @param jobs the jobs that it owns
     */
    public WorkerInfo {
        jobs = List.copyOf(jobs);
    }

    /**
     * The registration that a worker writes about itself. Immutable and thread-safe.
     *
     * @param at its last sign of life, by the server's clock as far as it knew
     * @param started when it started
     * @param pid its process
     * @param types the types that it takes
     * @param next how long after {@code at} it meant to give the next sign of life: a third of the shortest timeout of
     *     its running jobs, five minutes at most
     */
    public record Registered(Instant at, Instant started, long pid, List<String> types, Duration next) {
        /**
         * Copies the types.
         *
         * @param at its last sign of life
         * @param started when it started
         * @param pid its process
         * @param types the types that it takes
         * @param next how long after that it meant to give the next sign of life
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
     * @param rev the revision that says so
     */
    public record OwnedJob(JobId id, String worker, String rev) {}

    /** {@return its registration, if it is registered} */
    public Optional<Registered> registration() {
        return Optional.ofNullable(registered);
    }

    /**
     * Whether it gives no sign of life. Only the activity monitor, which compares no clocks, decides that it is dead.
     *
     * @param now the server's time
     * @return true when it is not registered, or two signs of life are overdue: after a minute when it owns jobs of a timeout of a
     *     minute, after ten when it owns nothing
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
     * Whether it runs jobs of a type, as far as the database knows: it is registered for the type and gives signs of life; or it is not
     * registered, and owns a job of the type.
     *
     * @param type a type
     * @param now the server's time
     * @return true when it does
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
