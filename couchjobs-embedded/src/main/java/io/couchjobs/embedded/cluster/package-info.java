/**
 * A simulated CouchDB cluster: several copies of every document, each with its own revision tree and its own order of
 * arrival, and a coordinator per node that answers by quorum. All of it happens on one thread and one {@link
 * io.couchjobs.embedded.cluster.Agenda}; with virtual time and seeded delays a run can be repeated exactly.
 *
 * <p>The model follows CouchDB 3.5: a write goes to all copies at once, each copy decides alone, the coordinator counts.
 * Where it is simpler: nodes are neither added nor removed, and a copy that was
 * killed keeps all that it had taken, answered or not.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.cluster;
