/**
 * Jobs in and out of the database: one conditional bulk write per transition, and what its answer is worth.
 *
 * <p>Start with {@link io.couchjobs.engine.store.JobStore}. What a write is worth on a cluster, where it can be stored without a
 * quorum, is in {@link io.couchjobs.engine.store.Withdrawals} for claims, in {@link io.couchjobs.engine.store.ConfirmedEnds} for
 * ends, and in {@link io.couchjobs.engine.store.SharedDocuments} for documents that are no jobs.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.store;
