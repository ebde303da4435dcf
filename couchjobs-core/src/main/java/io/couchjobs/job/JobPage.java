package io.couchjobs.job;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list of jobs. Where an index cannot answer a filter alone (a tag and a status), a limited number of jobs is looked at
 * for a page: then it may be short, or empty, though more follow. It is short, too, when more jobs would be too large for one answer.
 * Immutable and thread-safe.
 *
 * @param jobs the jobs, newest first, as they are now; those that no longer pass the filter are left out
 * @param end where the next page begins, or null after the last one
 */
public record JobPage(List<Job> jobs, @Nullable Place end) {
    /** {@return where the next page begins; empty after the last one} */
    public Optional<Place> next() {
        return Optional.ofNullable(end);
    }

    /**
     * Where a page ended; stays valid when the jobs change meanwhile. Immutable and thread-safe.
     *
     * @param time the time by which the last job has its place, in epoch milliseconds
     * @param kind the part of the index that the last job is in: its line (see {@link Site}), or the kind of label
     * @param name the status in that part, if it has one, or the label
     * @param docId the last job's document
     */
    public record Place(long time, String kind, String name, String docId) {}
}
