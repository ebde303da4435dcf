package io.couchjobs.engine.lifecycle;

import io.couchjobs.job.Job;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The effect of an event on a job: a changed job to be written, nothing to do, or a refusal. Immutable and thread-safe. */
public record Decision(Job before, @Nullable Job after, boolean isRefused) {
    static Decision write(Job before, Job after) {
        return new Decision(before, after, false);
    }

    public static Decision nothingToDo(Job before) {
        return new Decision(before, null, false);
    }

    public static Decision refused(Job before) {
        return new Decision(before, null, true);
    }

    /** {@return the job to be written, with the revision that the decision is based on; empty when there is nothing to write} */
    public Optional<Job> write() {
        return Optional.ofNullable(after);
    }
}
