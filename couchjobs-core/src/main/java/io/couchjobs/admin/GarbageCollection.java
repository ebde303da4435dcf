package io.couchjobs.admin;

import io.couchjobs.couch.config.CouchException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reduces the size of a queue's database. Deletes expired finished jobs, removes registrations of dead workers and design documents
 * of other versions, purges tombstones, and compacts the database and its indexes. Created by {@link io.couchjobs.Operations#gc()}.
 * Not thread-safe; run each object once.
 *
 * <p>A collection works in small batches with pauses. It can run beside workers and other collections, and may be killed at any
 * time: the next collection continues the work. Purging and compacting need an administrator of the server. Other users run the
 * remaining steps, and the report says so.
 *
 * <p>In a replicated database, purge only tombstones that the other side has received ({@link #keepTombstones}). A database that
 * has the job but never received its deletion would replicate the job back.
 */
public interface GarbageCollection {
    /**
     * {@return this collection, with the shortest time that a finished job stays, regardless of its retention} Callers that wait
     * for a job need this time to learn of its end by the feed. For up to 5 seconds, the collection waits for jobs that have just
     * finished; with a longer time, it leaves these jobs to the next collection.
     *
     * @param age the time, default 5 seconds; zero is right when no caller waits for jobs
     * @throws IllegalArgumentException when the age is negative
     */
    GarbageCollection keepFinished(Duration age);

    /**
     * {@return this collection, with the time that tombstones stay} The time must be longer than any suspension of a worker, or any
     * interruption of its feed, after which the worker continues. The time is at least twice the longest timeout of all types.
     * Without this call, the tombstones of jobs that retention deleted are purged at once if there is no worker and no job has an
     * owner. This does not apply to a database with a name ({@link io.couchjobs.job.Site}), because other databases must receive
     * the deletions. A time set by this call applies to all tombstones. Tombstones of awaited jobs always stay.
     *
     * @param age the time; the default is 10 minutes, or 30 days in a database with a name. Zero purges all tombstones, which is
     *     right only when no process uses the queue. Ages are derived from marks that sweeps and collections write
     * @throws IllegalArgumentException when the age is negative
     */
    GarbageCollection keepTombstones(Duration age);

    /**
     * {@return this collection, with the choice to only report what it would do}
     *
     * @param writeNothing whether to write nothing; default false
     */
    GarbageCollection dryRun(boolean writeNothing);

    /**
     * {@return this collection, with a listener for its progress}
     *
     * @param newListener the listener, called often, on the collecting thread
     */
    GarbageCollection onProgress(Consumer<Step> newListener);

    /**
     * Runs the collection.
     *
     * @return a report of what was done
     * @throws CouchException when the database cannot be used; the work done so far remains done
     * @throws InterruptedException when interrupted; the work done so far remains done
     */
    Report run() throws InterruptedException;

    /**
     * The progress of a garbage collection. Immutable and thread-safe.
     *
     * @param step the present step, such as {@code "deleting finished jobs"}
     * @param done the number of documents done in this step; while compacting, the bytes of the file
     */
    record Step(String step, long done) {}

    /**
     * The result of a garbage collection, or of a dry run. Immutable and thread-safe.
     *
     * @param dryRun whether nothing was written
     * @param jobsDeleted the number of expired finished jobs that were deleted, by type
     * @param tombstonesPurged the number of tombstones that were purged
     * @param tombstonesKept the number of tombstones that stay for a later collection, because a process may still hold one of
     *     their revisions
     * @param workersRemoved the ids of dead workers whose registrations were removed
     * @param designDocumentsRemoved the design documents of other versions that were removed with their indexes
     * @param bytesBefore the size of the database and its indexes on disk at the beginning, in bytes; 0 if the server does not
     *     report it
     * @param bytesAfter the size at the end; equal to {@code bytesBefore} in a dry run
     * @param took the duration
     * @param problems the steps that could not be done, and why; empty if there were none
     */
    record Report(
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
         * Copies the collections.
         *
         * @param dryRun whether nothing was written
         * @param jobsDeleted the number of deleted jobs, by type
         * @param tombstonesPurged the number of purged tombstones
         * @param tombstonesKept the number of tombstones that stay
         * @param workersRemoved the ids of dead workers
         * @param designDocumentsRemoved the names of the design documents
         * @param bytesBefore the size at the beginning
         * @param bytesAfter the size at the end
         * @param took the duration
         * @param problems the steps that could not be done
         */
        public Report {
            jobsDeleted = java.util.Collections.unmodifiableMap(new TreeMap<>(jobsDeleted));
            workersRemoved = List.copyOf(workersRemoved);
            designDocumentsRemoved = List.copyOf(designDocumentsRemoved);
            problems = List.copyOf(problems);
        }

        /** {@return the number of expired finished jobs of all types that were deleted} */
        public long jobsDeletedInAll() {
            return jobsDeleted.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
