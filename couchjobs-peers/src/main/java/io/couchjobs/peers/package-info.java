/** Compares couchjobs with other job queues of the JVM, in one run on one machine: {@code ./dev bench-peers}. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.peers;
