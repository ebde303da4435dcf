package io.couchjobs.worker;

import io.couchjobs.job.JobId;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended. Immutable and thread-safe.
 *
 * @param id the job
 * @param attempt which run of the job it was, 1 for the first
 * @param outcome how it ended
 * @param took how long the handler ran
 * @param problem what went wrong, or null
 */
public record RunReport(
        JobId id,
        int attempt,
        Outcome outcome,
        Duration took,
        @Nullable String problem) {
    /** How a run can end. Immutable and thread-safe. */
    public enum Outcome {
        /** The job is done. */
        SUCCEEDED,
        /** The job failed and will be retried. */
        RETRIED,
        /** The job failed for good. */
        FAILED,
        /** The job was cancelled. */
        CANCELLED,
        /** The job was given back to run later: it was snoozed or resubmitted, or the worker closes. */
        RELEASED,
        /** The job was lost before the run ended; its result was not stored. */
        HALTED
    }

    /** {@return what went wrong} */
    public Optional<String> message() {
        return Optional.ofNullable(problem);
    }
}
