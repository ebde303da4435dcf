/** Workers: runs of handlers, leases, dependencies, and the recovery of jobs from dead owners. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.worker;
