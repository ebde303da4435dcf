package io.couchjobs.store;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.Comparator;

/**
 * Where a job stands in the order of the index: by time, and jobs of the same time by id. Immutable and thread-safe.
 *
 * @param time when the job is due
 * @param id which job
 */
public record Place(Instant time, JobId id) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
            Comparator.comparing(Place::time).thenComparing(Place::id);

    static Place of(Job job) {
        return new Place(job.scheduledTime(), job.id());
    }

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }
}
