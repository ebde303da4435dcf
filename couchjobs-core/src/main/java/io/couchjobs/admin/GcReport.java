package io.couchjobs.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of a garbage collection, or of a dry run. Immutable and thread-safe.
 *
 * @param dryRun whether nothing was written
 * @param jobsDeleted by type, how many finished jobs retention let go
 * @param tombstonesPurged how many deleted documents were removed for good
 * @param tombstonesKept how many stay, because somebody may still hold one of their revisions; a later collection takes them
 * @param workersRemoved the ids of dead workers whose registrations were removed
 * @param designDocumentsRemoved the design documents of other versions that were removed with their indexes
 * @param bytesBefore the size of the database and its indexes on disk at the beginning; 0 when the server does not say
 * @param bytesAfter the same at the end; in a dry run the same
 * @param took how long it took
 * @param problems what could not be done, and why; empty when all was
 */
public record GcReport(
        boolean dryRun,
        Map<String, Long> jobsDeleted,
        long tombstonesPurged,
        long tombstonesKept,
        List<String> workersRemoved,
        List<String> designDocumentsRemoved,
        long bytesBefore,
        long bytesAfter,
        Duration took,
        List<String> problems) {
    /**
     * Copies what it is given.
     *
     * @param dryRun whether nothing was written
     * @param jobsDeleted by type
     * @param tombstonesPurged how many are gone
     * @param tombstonesKept how many stay
     * @param workersRemoved their ids
     * @param designDocumentsRemoved their names
     * @param bytesBefore at the beginning
     * @param bytesAfter at the end
     * @param took how long
     * @param problems what could not be done
     */
    public GcReport {
        jobsDeleted = java.util.Collections.unmodifiableMap(new TreeMap<>(jobsDeleted));
        workersRemoved = List.copyOf(workersRemoved);
        designDocumentsRemoved = List.copyOf(designDocumentsRemoved);
        problems = List.copyOf(problems);
    }

    /** {@return how many finished jobs of all types retention let go} */
    public long jobsDeletedInAll() {
        return jobsDeleted.values().stream().mapToLong(Long::longValue).sum();
    }
}
