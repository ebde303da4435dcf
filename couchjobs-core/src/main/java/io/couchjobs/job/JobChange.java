package io.couchjobs.job;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job changed its status, or is gone. Immutable and thread-safe.
 *
 * @param id the job
 * @param state its state now
 * @param now the job as it is now, or null when it was removed
 */
public record JobChange(JobId id, JobState state, @Nullable Job now) {
    /** {@return the job as it is now; empty when it was removed} */
    public Optional<Job> job() {
        return Optional.ofNullable(now);
    }
}
