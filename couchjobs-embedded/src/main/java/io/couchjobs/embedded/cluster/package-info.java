/**
 * A simulated CouchDB cluster. Each document has several copies, each with its own revision tree and its own order of changes.
 * Each node has a coordinator, which answers by quorum. The cluster runs on one thread and one {@link
 * io.couchjobs.embedded.cluster.Agenda}. With virtual time and seeded delays, a run can be repeated exactly.
 *
 * <p>The model follows CouchDB 3.5: a write goes to all copies at once, each copy decides alone, and the coordinator counts the
 * replies. Simplifications: nodes are neither added nor removed, and a killed node keeps all writes that it has stored, answered
 * or not.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.embedded.cluster;
