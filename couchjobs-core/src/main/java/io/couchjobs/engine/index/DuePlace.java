package io.couchjobs.engine.index;

import io.couchjobs.job.Job;
import io.couchjobs.job.JobId;
import java.time.Instant;
import java.util.Comparator;

/** The place of a job in the index of due jobs, ordered by time and then by id. Immutable and thread-safe. */
public record DuePlace(Instant time, JobId id) implements Comparable<DuePlace> {
    private static final Comparator<DuePlace> ORDER =
            Comparator.comparing(DuePlace::time).thenComparing(DuePlace::id);

    public static DuePlace of(Job job) {
        return new DuePlace(job.scheduledTime(), job.id());
    }

    @Override
    public int compareTo(DuePlace other) {
        return ORDER.compare(this, other);
    }
}
