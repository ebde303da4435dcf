package io.couchjobs.scope;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobError;
import java.util.List;
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
}
