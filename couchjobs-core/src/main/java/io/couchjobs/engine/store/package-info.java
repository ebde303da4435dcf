/**
 * Reads and writes jobs. Each transition of a job is one conditional write; this package decides what the answer to a write
 * means.
 *
 * <p>Start with {@link io.couchjobs.engine.store.JobWriter}. On a cluster a write can be stored without a quorum. {@link
 * io.couchjobs.engine.store.ClaimRecovery} handles such writes for claims, {@link io.couchjobs.engine.store.ConfirmedEnds}
 * for ends of jobs, and {@link io.couchjobs.engine.store.SharedDocuments} for documents other than jobs.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.store;
