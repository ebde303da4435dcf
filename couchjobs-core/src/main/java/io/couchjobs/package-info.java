/** The main entry points of couchjobs: queues, jobs, types and operations. */
@org.jspecify.annotations.NullMarked
package io.couchjobs;
