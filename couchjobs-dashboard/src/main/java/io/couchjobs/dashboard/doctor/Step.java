package io.couchjobs.dashboard.doctor;

import io.couchjobs.couch.config.CouchJobsException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step by which a check repairs something. Immutable and thread-safe.
 *
 * @param text what was done, or could not be done
 * @param trouble why it could not be done; null when it was done
 */
public record Step(String text, @Nullable CouchJobsException trouble) {
    /**
     * {@return a step that was taken}
     *
     * @param text what was done
     */
    public static Step done(String text) {
        return new Step(text, null);
    }

    /**
     * {@return a step that failed}
     *
     * @param text what could not be done
     * @param trouble why
     */
    public static Step failed(String text, CouchJobsException trouble) {
        return new Step(text, trouble);
    }

    /** {@return why the step failed; empty when it was taken} */
    public Optional<CouchJobsException> failure() {
        return Optional.ofNullable(trouble);
    }
}
