package io.couchjobs.cli.input;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The job in one line of a file, or the reason why the line is bad. Immutable and thread-safe, as the job is.
 *
 * @param <J> the form in which the file has jobs: requests, or exported jobs
 * @param number the number of the line, from 1
 * @param length about how many characters the line has
 * @param found the job, or null
 * @param problem what is wrong with the line, or null
 */
public record JobLine<J>(
        long number,
        int length,
        @Nullable J found,
        @Nullable String problem) {
    static <J> JobLine<J> good(long number, int length, J job) {
        return new JobLine<>(number, length, job, null);
    }

    static <J> JobLine<J> bad(long number, String problem) {
        return new JobLine<>(number, 0, null, problem);
    }

    /** {@return the job; empty for a bad line} */
    public Optional<J> job() {
        return Optional.ofNullable(found);
    }
}
