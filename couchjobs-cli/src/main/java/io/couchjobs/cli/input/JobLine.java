package io.couchjobs.cli.input;

import io.couchjobs.job.JobRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The job that one line of a file asks for, or the reason why it cannot be understood. Immutable and thread-safe.
 *
 * @param number the line, from 1
 * @param length about how many characters it has
 * @param asked the job asked for, or null
 * @param problem what is wrong with the line, or null
 */
public record JobLine(
        long number,
        int length,
        @Nullable JobRequest asked,
        @Nullable String problem) {
    static JobLine good(long number, int length, JobRequest request) {
        return new JobLine(number, length, request, null);
    }

    static JobLine bad(long number, String problem) {
        return new JobLine(number, 0, null, problem);
    }

    /** {@return the job asked for; empty for a bad line} */
    public Optional<JobRequest> request() {
        return Optional.ofNullable(asked);
    }
}
