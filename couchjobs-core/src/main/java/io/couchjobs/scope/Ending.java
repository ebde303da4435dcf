package io.couchjobs.scope;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job of a scope, reported once to its submitter. Immutable and thread-safe.
 *
 * @param scope the scope of the job
 * @param id the job's id
 * @param outcome the outcome
 * @param last the job at its end, or null when it was removed
 */
public record Ending(
        Scope scope, String id, Outcome outcome, @Nullable Job last) {
    /** {@return the job at its end; empty when it was removed} */
    public Optional<Job> job() {
        return Optional.ofNullable(last);
    }

    /** {@return the message of the last error of a job that did not succeed} */
    public Optional<String> reason() {
        List<JobError> errors = last == null || outcome == Outcome.FINISHED ? List.of() : last.errors();
        return errors.isEmpty()
                ? Optional.empty()
                : Optional.of(errors.get(errors.size() - 1).message());
    }

    /** The outcomes of a job of a scope. Immutable and thread-safe. */
    public enum Outcome {
        /** The job succeeded. */
        FINISHED,
        /** The job failed, and will not be retried. */
        CRASHED,
        /** The job was stopped while it ran: it was cancelled, reached the deadline of a stop, or exceeded its time limit. */
        KILLED,
        /** The job was cancelled before it ran, or while it waited for a retry. */
        CANCELLED,
        /** The job was removed; whether and how it ended before is unknown. */
        REMOVED;

        /**
         * {@return the outcome of a job; empty while the job has not ended}
         *
         * @param job the job
         */
        public static Optional<Outcome> of(Job job) {
            return switch (job.status()) {
                case SUCCESS -> Optional.of(FINISHED);
                case FAILED, CANCELLED -> Optional.of(isKilled(job) ? KILLED : notKilled(job.status()));
                case WAITING, SCHEDULED, RUNNING, STUCK -> Optional.empty();
            };
        }

        private static Outcome notKilled(JobStatus status) {
            return status == JobStatus.FAILED ? CRASHED : CANCELLED;
        }

        /** Returns whether the job was killed. {@code isKilled} in the view {@code status} does the same: change both together. */
        private static boolean isKilled(Job job) {
            if (job.status() == JobStatus.FAILED) {
                List<JobError> errors = job.errors();
                return !errors.isEmpty() && errors.get(errors.size() - 1).kind() == JobError.Kind.KILLED;
            }
            Map<String, Instant> times = job.times();
            Instant finished = times.get("finished");
            return finished != null
                    && (finished.equals(times.get("stopped"))
                            || finished.equals(times.get("failed"))
                            || finished.equals(times.get("expired")));
        }
    }
}
