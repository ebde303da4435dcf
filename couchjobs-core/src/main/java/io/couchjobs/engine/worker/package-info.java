/** Workers: from a claim to a handler's end, leases, dependencies, and dead owners. */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.worker;
