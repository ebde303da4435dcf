package io.couchjobs.type;

import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a type there are. Immutable and thread-safe.
 *
 * @param byStatus the number of jobs of each status; every status is there
 * @param oldest the earliest time at which a pending job became due, or will; null when none is pending
 */
public record TypeCounts(
        Map<JobStatus, Long> byStatus, @Nullable Instant oldest) {
    /**
     * Copies, and fills up with zeros.
     *
     * @param byStatus the number of jobs by status
     * @param oldest the earliest time at which a pending job became due, or will; or null
     */
    public TypeCounts {
        Map<JobStatus, Long> all = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.values()) {
            all.put(status, byStatus.getOrDefault(status, 0L));
        }
        byStatus = Collections.unmodifiableMap(all);
    }

    /**
     * {@return the earliest time at which a pending job became due, or will: its scheduled time, or when it was created, retried,
     * given back or let go. Empty when none is pending; {@link Instant#EPOCH} when a job is due whose document does not say when
     * it was created}
     */
    public Optional<Instant> oldestPending() {
        return Optional.ofNullable(oldest);
    }

    /** {@return the number of jobs that are to run, now or later} */
    public long pending() {
        return byStatus.getOrDefault(JobStatus.WAITING, 0L) + byStatus.getOrDefault(JobStatus.STUCK, 0L);
    }

    /** {@return the number of jobs of all statuses} */
    public long total() {
        return byStatus.values().stream().mapToLong(Long::longValue).sum();
    }
}
