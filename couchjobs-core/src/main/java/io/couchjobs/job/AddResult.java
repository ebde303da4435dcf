package io.couchjobs.job;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of adding one job. Immutable and thread-safe.
 *
 * @param id the job
 * @param outcome the outcome
 * @param stored the job as stored now; null when rejected
 * @param problem a description why the job was rejected; null otherwise
 */
public record AddResult(
        JobId id,
        Outcome outcome,
        @Nullable Job stored,
        @Nullable String problem) {
    /** The possible outcomes of an add. Immutable and thread-safe. */
    public enum Outcome {
        /** The job was absent or finished, and is waiting now. */
        ADDED,
        /** The job was pending, and has another time or other data now. */
        UPDATED,
        /** The job was pending with the same time; nothing was written. */
        UNCHANGED,
        /** The job is running, and will run once more afterwards. */
        RESUBMITTED,
        /** The job could not be added; see the problem. */
        REJECTED
    }

    /**
     * {@return the result for a job that was not rejected}
     *
     * @param outcome the outcome
     * @param stored the job as stored
     */
    public static AddResult of(Outcome outcome, Job stored) {
        return new AddResult(stored.id(), outcome, stored, null);
    }

    /**
     * Returns the result for a new job.
     *
     * @param job the job as stored
     * @return the result
     */
    public static AddResult added(Job job) {
        return of(Outcome.ADDED, job);
    }

    /**
     * Returns the result for a job that was rejected.
     *
     * @param id the job
     * @param problem a description of the reason
     * @return the result
     */
    public static AddResult rejected(JobId id, String problem) {
        return new AddResult(id, Outcome.REJECTED, null, problem);
    }

    /** {@return the job as stored now; empty when rejected} */
    public Optional<Job> job() {
        return Optional.ofNullable(stored);
    }
}
