package io.couchjobs.admin;

import io.couchjobs.couch.config.CouchException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Makes a queue's database small again: deletes what retention lets go, removes dead workers' registrations and design
 * documents of other versions, purges tombstones, compacts the database and its indexes. Made by {@link
 * io.couchjobs.Operations#gc()}; not thread-safe, run it once.
 *
 * <p>It works in small batches with pauses, beside running workers and other collections, and may be killed at any time:
 * the next one does what was not done. Purging and compacting need an administrator of the server; without one, the rest
 * is done and the report says so.
 *
 * <p>When the database is replicated, purge only what the other side has heard of ({@link #keepTombstones}). A database that
 * still has the job, and never got its deletion, replicates the job back.
 */
public interface GarbageCollection {
    /**
     * {@return this collection, with the time that a finished job stays at least, whatever its retention} A caller that waits
     * for a job hears of its finish by the feed, and needs that long to hear of it. Up to 5 seconds the collection waits for
     * jobs that finished a moment ago; for a longer time it leaves them to the next one.
     *
     * @param age default 5 seconds; zero when nobody waits
     * @throws IllegalArgumentException when the age is negative
     */
    GarbageCollection keepFinished(Duration age);

    /**
     * {@return this collection, with the time that tombstones stay} A worker may be suspended, or cut off from the feed, and then
     * continue as if nothing had happened: the time must be longer than that. Twice the longest timeout of all types counts where
     * that is longer. Unless this is set, the tombstones of jobs that retention deleted are purged at once while there is no worker and no job
     * has an owner. That does not hold in a database with a name ({@link io.couchjobs.job.Site}), because other databases are to
     * hear of the deletions. A time that is set holds for all tombstones. Tombstones of jobs that others wait for always stay.
     *
     * @param age default 10 minutes, in a database with a name 30 days; zero purges them all, which is right only when nobody
     *     works on the queue. Ages are known from the marks that sweeps and collections leave
     * @throws IllegalArgumentException when the age is negative
     */
    GarbageCollection keepTombstones(Duration age);

    /**
     * {@return this collection, which only finds out what there is to do}
     *
     * @param writeNothing default false
     */
    GarbageCollection dryRun(boolean writeNothing);

    /**
     * {@return this collection, with a listener that hears how far it has come}
     *
     * @param newListener called on the collecting thread, often
     */
    GarbageCollection onProgress(Consumer<Step> newListener);

    /**
     * Collects.
     *
     * @return what was done
     * @throws CouchException when the database cannot be used; what was done until then stays done
     * @throws InterruptedException when interrupted; likewise
     */
    Report run() throws InterruptedException;

    /**
     * How far a garbage collection has come. Immutable and thread-safe.
     *
     * @param step what it does, such as {@code "deleting finished jobs"}
     * @param done how many are done in this step; bytes of the file while compacting
     */
    record Step(String step, long done) {}

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
        public Report {
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
}
