package io.couchjobs.worker;

import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The report of a run that has ended. Immutable and thread-safe.
 *
 * @param id the job
 * @param attempt the number of the run, 1 for the first
 * @param outcome the outcome
 * @param took how long the handler ran
 * @param problem a description of the problem, or null
 */
public record RunReport(
        JobId id,
        int attempt,
        Outcome outcome,
        Duration took,
        @Nullable String problem) {
    /** The outcomes of a run. Immutable and thread-safe. */
    public enum Outcome {
        /** The job succeeded. */
        SUCCEEDED,
        /** The job failed and will be retried. */
        RETRIED,
        /** The job failed permanently. */
        FAILED,
        /** The job was cancelled. */
        CANCELLED,
        /** The job was released to run later: it was snoozed or resubmitted, or the worker is closing. */
        RELEASED,
        /** The job was lost before the run ended; its result was not stored. */
        HALTED
    }

    /** {@return a description of the problem, if there is one} */
    public Optional<String> message() {
        return Optional.ofNullable(problem);
    }
}
