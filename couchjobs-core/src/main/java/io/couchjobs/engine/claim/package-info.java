/**
 * From a due job to its owner, and the writes of the owner.
 *
 * <p>Start with {@link io.couchjobs.engine.claim.Claimer}: only an answer of 201 makes an owner.
 * {@link io.couchjobs.engine.claim.Finder} finds jobs and waits for them; {@link io.couchjobs.engine.claim.Ownership}
 * writes while the job is owned.
 */
@org.jspecify.annotations.NullMarked
package io.couchjobs.engine.claim;
