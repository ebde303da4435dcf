package io.couchjobs.worker;

import io.couchjobs.problem.CouchJobsException;
import io.couchjobs.store.JobStore;
import java.util.function.BooleanSupplier;

/**
 * Whether a majority of the copies is in reach. A node of a cluster that is cut off goes on answering by the only copy that it has,
 * and what it shows may be old, or undone after the cut. Thread-safe.
 *
 * @param store what is read
 * @param confirms whether CouchDB confirms a write at this moment; asked on clusters only
 */
record Majority(JobStore store, BooleanSupplier confirms) {
    /**
     * Stops who is about to believe what CouchDB shows.
     *
     * @param what what cannot be told without a majority
     * @throws CouchJobsException when none is in reach
     */
    void require(String what) {
        if (store.isCluster() && !confirms.getAsBoolean()) {
            throw new CouchJobsException("no majority of the copies confirms a write; nobody can tell " + what);
        }
    }
}
