/**
 * Jobs in and out of the database: one conditional bulk write per transition, and the value of its answer.
 *
 * <p>Start with {@link io.couchjobs.engine.store.JobWriter}. On a cluster a write can be stored without a quorum. Such
 * writes are handled in {@link io.couchjobs.engine.store.ClaimRecovery} for claims, in {@link
 * io.couchjobs.engine.store.ConfirmedEnds} for ends, and in {@link io.couchjobs.engine.store.SharedDocuments} for
 * documents that are no jobs.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.store;
