/**
 * Claims of due jobs, and the writes of their owners.
 *
 * <p>Start with {@link io.couchjobs.engine.claim.Claimer}: only an answer of 201 makes an owner.
 * {@link io.couchjobs.engine.claim.Finder} finds due jobs and waits for them. {@link io.couchjobs.engine.claim.Ownership}
 * writes a job while it is owned.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.claim;
