package io.couchjobs.job;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of adding one job. Immutable and thread-safe.
 *
 * @param id the job
 * @param outcome what happened
 * @param stored the job as it is stored now; null when rejected
 * @param problem why the job was rejected, in words; null otherwise
 */
public record AddResult(
        JobId id,
        Outcome outcome,
        @Nullable Job stored,
        @Nullable String problem) {
    /** The possible outcomes of an add. Immutable and thread-safe. */
    public enum Outcome {
        /** It was absent or finished, and is waiting now. */
        ADDED,
        /** It was pending, and has another time or other data now. */
        UPDATED,
        /** It was pending with the same time: nothing was written. */
        UNCHANGED,
        /** It is running, and will run once more afterwards. */
        RESUBMITTED,
        /** It could not be added; see the problem. */
        REJECTED
    }

    /**
     * {@return the result for a job that was added}
     *
     * @param outcome what happened
     * @param stored the job as it is stored
     */
    public static AddResult of(Outcome outcome, Job stored) {
        return new AddResult(stored.id(), outcome, stored, null);
    }

    /**
     * A new job.
     *
     * @param job the job as it is stored
     * @return the result
     */
    public static AddResult added(Job job) {
        return of(Outcome.ADDED, job);
    }

    /**
     * A job that was not added.
     *
     * @param id the job
     * @param problem why, in words
     * @return the result
     */
    public static AddResult rejected(JobId id, String problem) {
        return new AddResult(id, Outcome.REJECTED, null, problem);
    }

    /** {@return the job as it is stored now; empty when rejected} */
    public Optional<Job> job() {
        return Optional.ofNullable(stored);
    }
}
