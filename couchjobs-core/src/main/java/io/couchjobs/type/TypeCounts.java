package io.couchjobs.type;

import io.couchjobs.job.JobStatus;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The number of jobs of a type, by status. Immutable and thread-safe.
 *
 * @param byStatus the number of jobs of each status; contains every status
 * @param oldest the earliest time at which a pending job became or will become due; null when none is pending
 */
public record TypeCounts(
        Map<JobStatus, Long> byStatus, @Nullable Instant oldest) {
    /**
     * Copies the counts, and adds a zero for each missing status.
     *
     * @param byStatus the number of jobs by status
     * @param oldest the earliest time at which a pending job became or will become due, or null
     */
    public TypeCounts {
        Map<JobStatus, Long> all = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.values()) {
            all.put(status, byStatus.getOrDefault(status, 0L));
        }
        byStatus = Collections.unmodifiableMap(all);
    }

    /**
     * {@return the earliest time at which a pending job became or will become due} This is the job's scheduled time, or the later
     * time at which it was created, retried, released or no longer held. Empty when no job is pending. {@link Instant#EPOCH} when
     * the document of a due job has no creation time.
     */
    public Optional<Instant> oldestPending() {
        return Optional.ofNullable(oldest);
    }

    /** {@return the number of pending jobs: waiting or stuck} */
    public long pending() {
        return byStatus.getOrDefault(JobStatus.WAITING, 0L) + byStatus.getOrDefault(JobStatus.STUCK, 0L);
    }

    /** {@return the number of jobs of all statuses} */
    public long total() {
        return byStatus.values().stream().mapToLong(Long::longValue).sum();
    }
}
