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
 * The one event that a submitter hears of a job when it has ended. Immutable and thread-safe.
 *
 * @param scope where it was submitted to
 * @param id the job's id
 * @param outcome how it ended
 * @param last the job as it was then, or null when it was removed
 */
public record Ending(
        Scope scope, String id, Outcome outcome, @Nullable Job last) {
    /** {@return the job as it was then; empty when it was removed} */
    public Optional<Job> job() {
        return Optional.ofNullable(last);
    }

    /** {@return why it did not end well, in words: the message of its last error} */
    public Optional<String> reason() {
        List<JobError> errors = last == null || outcome == Outcome.FINISHED ? List.of() : last.errors();
        return errors.isEmpty()
                ? Optional.empty()
                : Optional.of(errors.get(errors.size() - 1).message());
    }

    /** How a job of a scope ended. Immutable and thread-safe. */
    public enum Outcome {
        /** Well. */
        FINISHED,
        /** It failed, and will not be retried. */
        CRASHED,
        /** It was stopped while it ran: cancelled, still running at the deadline of a stop, or too long at its time limit. */
        KILLED,
        /** It was cancelled before it ran, or while it waited for a retry. */
        CANCELLED,
        /** It was removed; how it ended before that, if it did, is not known. */
        REMOVED;

        /**
         * {@return how a job ended; empty while it has not ended}
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

        /** The twin of {@code isKilled} in the view {@code status}. */
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
