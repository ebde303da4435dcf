/**
 * Jobs in CouchDB: how a transition becomes one conditional write, how ownership is held and lost, how work is found.
 *
 * <p>Read {@link io.couchjobs.store.JobStore} (documents in and out), {@link io.couchjobs.store.ClaimedJob} (ownership; how it
 * writes is in {@code Ownership}) and {@link io.couchjobs.store.Acceptor} (from an index window or a change to a claim). What happens to a job elsewhere comes by
 * the one {@link io.couchjobs.store.Feed} of the process; {@link io.couchjobs.store.Subscription} tells it to whoever asked.
 * What a write is worth on a cluster, where it can be stored without a quorum, is in {@code Claimer} and {@code Withdrawals} for
 * claims, in {@code Ownership} for owners, and in {@code UnconfirmedWrites} for creators.
 */
@NullMarked
package io.couchjobs.store;

import org.jspecify.annotations.NullMarked;
